import type { ClockMode } from '../../core/simulator/events.ts';

/** What `serve` was asked for, as the options say it. */
export interface ServeOptions {
  readonly proto?: readonly string[];
  readonly importPath?: readonly string[];
  readonly stubs?: readonly string[];
  readonly take?: string;
  readonly durability: 'process' | 'power';
  readonly acceptLoss?: boolean;
  readonly clock?: ClockMode;
  /** Milliseconds. */
  readonly startAt?: number;
  readonly seed?: string;
  readonly grpcPort: number;
  readonly adminPort: number;
  readonly httpPort: number;
  readonly host: string;
  readonly adminToken?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  /** Milliseconds. */
  readonly drain: number;
  readonly limit?: readonly string[];
  readonly gzip?: boolean;
  readonly watch?: boolean;
  readonly compat?: 'gripmock';
  readonly demo?: boolean;
  readonly json?: boolean;
}
