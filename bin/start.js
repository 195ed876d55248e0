// Runs the built program; in a checkout whose build is missing or older than the source, the source itself.
import { enableCompileCache } from 'node:module';
import { builtProgram, isBuildCurrent, sourceProgram } from './build-state.js';

enableCompileCache();
const { main } = await import(isBuildCurrent() ? builtProgram : sourceProgram);
await main(process.argv.slice(2));
