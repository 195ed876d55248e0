// Writes src/core/services/rpc/protobuf/well-known-set.ts: the descriptors that resolve without being given,
// beside those that @bufbuild/protobuf ships. Run it when google-proto-files or scripts/protos change:
// node_modules/.bin/node scripts/make-well-known.mjs
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const google = join(root, 'node_modules/google-proto-files/google');
const work = mkdtempSync(join(tmpdir(), 'well-known-'));
try {
  for (const folder of ['rpc', 'type']) {
    for (const file of readdirSync(join(google, folder)).filter((name) => name.endsWith('.proto'))) {
      cpSync(join(google, folder, file), join(work, 'google', folder, file));
    }
  }
  cpSync(join(root, 'scripts/protos'), work, { recursive: true });
  writeFileSync(join(work, 'buf.yaml'), 'version: v2\n');
  const set = execFileSync(
    join(root, 'node_modules/.bin/buf'),
    [
      'build',
      work,
      '--as-file-descriptor-set',
      '--exclude-imports',
      '--exclude-source-info',
      '-o',
      '-#format=binpb',
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const lines = set.toString('base64').match(/.{1,100}/g) ?? [];
  const text = [
    '// Made by scripts/make-well-known.mjs; do not edit.',
    '',
    '/** A `google.protobuf.FileDescriptorSet` in base64: google/rpc, google/type, grpc/health, grpc/reflection. */',
    'export const wellKnownSet: string = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ];
  writeFileSync(join(root, 'src/core/services/rpc/protobuf/well-known-set.ts'), text.join('\n'));
  console.log(`${set.length} bytes of descriptors written down`);
} finally {
  rmSync(work, { recursive: true });
}
