import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { defineConfig, type Plugin } from 'rolldown';
import { compileStubCheck, makeStubAjv } from './src/core/services/rpc/stub-schema-validator.ts';

// One bundle of everything that is pure JavaScript, split by command: a command reads a few files instead of a
// thousand, which is most of its start (docs/decisions). Packages with native parts stay outside.
export default defineConfig({
  input: { main: 'src/main.ts', index: 'src/index.ts' },
  platform: 'node',
  external: ['better-sqlite3'],
  plugins: [compiledSchema(), nodeHttp(), licences()],
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: { compress: true, mangle: false, codegen: true },
  },
});

/**
 * An `import` of node:http reads all that it exports, and some of it loads a whole HTTP client that nobody here uses: some
 * 15 ms of every start. The module by itself does not.
 */
function nodeHttp(): Plugin {
  const names = [
    'createServer',
    'METHODS',
    'STATUS_CODES',
    'ServerResponse',
    'IncomingMessage',
    'Agent',
    'request',
  ];
  return {
    name: 'node-http',
    resolveId: (id, _importer, { kind }) =>
      id === 'node:http' && kind === 'import-statement' ? '\0node:http' : null,
    load: (id) =>
      id === '\0node:http'
        ? `const http = process.getBuiltinModule('node:http');\nexport default http;\nexport const { ${names.join(', ')} } = http;`
        : null,
  };
}

/** Compiling the schema of stubs takes some 60 ms; the build does it once, and the program starts without it. */
function compiledSchema(): Plugin {
  return {
    name: 'compiled-schema',
    load(id) {
      if (!id.endsWith('/stub-schema-check.ts')) return null;
      const document = JSON.parse(readFileSync('schemas/stub.schema.json', 'utf8'));
      const ajv = makeStubAjv(false, { source: true, esm: true });
      const code = standaloneCode.default(ajv, compileStubCheck(ajv, document));
      return [
        "import { boundedPattern } from './stub-schema-validator.ts';",
        "import ucs2length from 'ajv/dist/runtime/ucs2length.js';",
        code
          .replace(
            /export const validate = (\w+);export default \1;/,
            'export const stubSchemaCheck = () => $1;',
          )
          .replaceAll(/require\("ajv\/dist\/runtime\/ucs2length"\)/g, 'ucs2length'),
      ].join('\n');
    },
  };
}

/** Keeps the licence of each bundled package beside the bundle, as most of them ask. */
function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const roots = new Set(chunks.flatMap((chunk) => chunk.moduleIds.flatMap(packageRoot)));
      const source = [...roots].sort().map(licenceOf).join('\n');
      this.emitFile({ type: 'asset', fileName: 'third-party-licences.txt', source });
    },
  };
}

/** The folder of the package that a module belongs to; none for our own. */
function packageRoot(module: string): readonly string[] {
  if (module.startsWith('\0') || !module.includes('node_modules')) return [];
  let folder = dirname(module.replace(/^\0/, ''));
  while (!isPackage(folder)) folder = dirname(folder);
  return [folder];
}

function isPackage(folder: string): boolean {
  const file = join(folder, 'package.json');
  return existsSync(file) && 'version' in JSON.parse(readFileSync(file, 'utf8'));
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const body = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`── ${name} ${version} (${license})`, ...body, ''].join('\n\n');
}
