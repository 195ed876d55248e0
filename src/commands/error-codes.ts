import type { LogFailureCode } from '../core/simulator/ports.ts';

/** What each code means and what to do about it; the table of `docs/errors.md`, held to it by a test. */
export const errorCodes: Readonly<Record<ErrorCode, { readonly meaning: string; readonly remedy: string }>> =
  {
    DT_NODE_TOO_OLD: {
      meaning: 'This Node.js is older than Doubletake needs.',
      remedy:
        'Install Node.js 22.18 or later; in a checkout, start through npm (`npx doubletake`, `npm start`).',
    },
    DT_STUB_INVALID: {
      meaning: 'A stub file breaks the rules of the format, cannot be read, or does not fit its message.',
      remedy:
        'Each problem names file, line and JSON pointer. `doubletake stub validate FILE` checks without a server.',
    },
    DT_PROTO_INVALID: {
      meaning: 'A `.proto` file or descriptor set cannot be read or resolved.',
      remedy: 'Name the folder that imports are relative to with `--import-path`.',
    },
    DT_PORT_IN_USE: {
      meaning: 'Another process listens on the port.',
      remedy: 'Choose another port, or 0 for a free one; or end the other process.',
    },
    DT_LISTEN_FAILED: {
      meaning: 'A server cannot listen on the host and port that were asked for.',
      remedy: 'Check `--host`, the ports, and the TLS files.',
    },
    DT_ADMIN_UNPROTECTED: {
      meaning: 'Administration would be open to the network without a token.',
      remedy: 'Keep `--host` on loopback, or give a token in DOUBLETAKE_ADMIN_TOKEN.',
    },
    DT_ADMIN_UNREACHABLE: {
      meaning: 'No running Doubletake answers at the administration address.',
      remedy: 'Start one with `doubletake serve`, or name its address with `--admin`.',
    },
    DT_ADMIN_REFUSED: {
      meaning: 'The running Doubletake refused the request.',
      remedy: 'Read the reasons; for a missing or wrong token, set DOUBLETAKE_ADMIN_TOKEN.',
    },
    DT_DIVERGED: {
      meaning: 'Deciding an input again gave other outcomes than the take holds.',
      remedy: 'Compare the path that is named; a change of Doubletake or of the file is the cause.',
    },
    DT_NO_SUCH_ENTRY: {
      meaning: 'The take has no entry with this number.',
      remedy: 'List the entries with `doubletake log TAKE`.',
    },
    DT_NO_SUCH_PATH: {
      meaning: 'The world has no such part at this entry.',
      remedy: 'Look at the level above it with `doubletake state TAKE PATH`.',
    },
    DT_NOT_A_CALL: {
      meaning: 'The entry is of no call that a stub was asked for, so there is nothing to explain.',
      remedy:
        'Choose an entry in which one was found or missed: `doubletake log TAKE --kind StubMatched --kind CallMissed`.',
    },
    DT_LOG_FULL: {
      meaning:
        'There is no room for the log, or a file-size limit was met. Input is refused until there is room.',
      remedy: 'Make room; the simulator goes on by itself.',
    },
    DT_LOG_READ_ONLY: {
      meaning: 'The take, its folder or its file system takes no writes.',
      remedy: 'Check the permissions, or keep the take somewhere else with `--take`.',
    },
    DT_LOG_OWNED: {
      meaning: 'Another process writes this take.',
      remedy: 'Stop it first, or use another file. Reading commands work meanwhile.',
    },
    DT_LOG_FOREIGN: {
      meaning: 'The file is not a take.',
      remedy: 'Check the path; `--take` makes a new file where there is none.',
    },
    DT_LOG_NEWER: {
      meaning: 'A newer Doubletake wrote this take.',
      remedy: 'Update Doubletake.',
    },
    DT_LOG_TAMPERED: {
      meaning: 'The content of the take is not what was written; the message names the entry.',
      remedy: 'Take the file from a backup. Entries before the one that is named are as they were written.',
    },
    DT_LOG_TRUNCATED: {
      meaning: 'Entries that were answered are missing at the end of the take.',
      remedy:
        'Restore the file together with its `-wal` and `-anchor` files, or go on with what is left: `--accept-loss`.',
    },
    DT_LOG_UNREADABLE: {
      meaning: 'The take cannot be read.',
      remedy: 'Check the disk and the permissions; the cause is in the message.',
    },
    DT_LOG_MISSING: {
      meaning: 'There is no such take.',
      remedy: 'Check the path.',
    },
    DT_LOG_CLOSED: {
      meaning: 'The simulator is stopping and takes no more input.',
      remedy: 'Start it again; everything that was answered is in the take.',
    },
  };

export type ErrorCode =
  | LogFailureCode
  | 'DT_NODE_TOO_OLD'
  | 'DT_STUB_INVALID'
  | 'DT_PROTO_INVALID'
  | 'DT_PORT_IN_USE'
  | 'DT_LISTEN_FAILED'
  | 'DT_ADMIN_UNPROTECTED'
  | 'DT_ADMIN_UNREACHABLE'
  | 'DT_ADMIN_REFUSED'
  | 'DT_DIVERGED'
  | 'DT_NO_SUCH_ENTRY'
  | 'DT_NO_SUCH_PATH'
  | 'DT_NOT_A_CALL';

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code);
}
