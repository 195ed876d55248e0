/**
 * Doubletake as a library: a simulator on a log, and what it is made of. Everything else is reached through the command.
 *
 *     const log = openSqliteLog({ file: 'run.take', manifest: newManifest({ seed: '7' }) });
 *     const simulator = await createSimulator({ log, clock: createSystemClock(), schedule: setImmediate });
 *     const grpc = await startGrpcServer({ simulator, host: '127.0.0.1', port: 0 });
 *
 * Stop in the other order: the server, then the simulator, which closes its log.
 */
export { createSimulator, worldAtLog, type SimulatorPorts } from './core/simulator/create-simulator.ts';
export type { Input, LogEntry, Outcome } from './core/simulator/events.ts';
export {
  LogFailure,
  type Clock,
  type EventLog,
  type LogFailureCode,
  type LogHead,
  type Manifest,
  type Schedule,
} from './core/simulator/ports.ts';
export { recheck, type Divergence } from './core/simulator/replay.ts';
export { submitted, type Settlement, type Simulator } from './core/simulator/simulator.ts';
export { worldDigest } from './core/simulator/snapshot.ts';
export type { World } from './core/simulator/world.ts';
export { stubsLoadedInput } from './core/services/rpc/stubs-loaded.ts';
export type { StubDefinition } from './core/services/rpc/stub.ts';
export { createSystemClock } from './edges/clock/system-clock.ts';
export { loadProtoSources } from './edges/files/proto-sources.ts';
export { loadStubFiles } from './edges/files/stub-files.ts';
export { startGrpcServer, type GrpcServer, type GrpcServerOptions } from './edges/grpc/grpc-server.ts';
export { openJsonLinesLog } from './edges/json-lines/open-json-lines-log.ts';
export { openSqliteLog, type SqliteLogOptions } from './edges/sqlite/open-sqlite-log.ts';
export { newManifest, type ManifestOptions } from './commands/serving/new-manifest.ts';
