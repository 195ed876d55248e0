import type { JsonObject } from '../../../kernel/json.ts';
import type { Randomness } from '../../../kernel/randomness.ts';

/**
 * What a template sees, under these names. A field that is not there is a problem, so messages come with their
 * defaults filled in, and with `null` for what has no default and is not set.
 */
export interface TemplateData {
  /** The message, or the last one of several. */
  readonly Request: JsonObject;
  /** All messages so far. */
  readonly Requests: readonly JsonObject[];
  /** By lower-case name; several values of one header are joined with `;`. */
  readonly Headers: { readonly [name: string]: string };
  /** Counts from 0. */
  readonly MessageIndex: number;
  /** Milliseconds since 1970-01-01T00:00:00Z; templates see a time. */
  readonly RequestTime: number;
  readonly StubID: string;
  /** Counts from 1. */
  readonly AttemptNumber: number;
  /** `options.times` of the stub; 0 is unlimited. */
  readonly MaxAttempts: number;
  /** Empty when the call has none. */
  readonly Session: string;
}

/** Time and chance of the entry in which a template is rendered. */
export interface TemplateEnvironment {
  /** The log's clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
  readonly randomness: Randomness;
}
