// Writes src/core/simulator/reducer-digest.ts anew: the digest of everything that folding a log runs through.
// Run after a change of src/core: npm run digest
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { digestOfCore, reducerDigestText } from '../test/support/digest-of-core.ts';

const path = fileURLToPath(new URL('../src/core/simulator/reducer-digest.ts', import.meta.url));
writeFileSync(path, reducerDigestText(digestOfCore()));
