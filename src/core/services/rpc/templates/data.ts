import type { Json, JsonObject } from '../../../kernel/json.ts';
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

/** What a template may write for each field; existing stub files use the later names of a line too. */
const namesByField: Readonly<Record<keyof TemplateData, readonly string[]>> = {
  Request: ['Request'],
  Requests: ['Requests'],
  Headers: ['Headers'],
  MessageIndex: ['MessageIndex'],
  RequestTime: ['RequestTime', 'Timestamp'],
  StubID: ['StubID', 'RequestID'],
  AttemptNumber: ['AttemptNumber', 'AttemptIndex'],
  MaxAttempts: ['MaxAttempts', 'TotalAttempts'],
  Session: ['Session'],
};

export const dataFields: ReadonlyMap<string, keyof TemplateData> = new Map(
  Object.entries(namesByField).flatMap(([field, names]) =>
    // The keys of the record above are exactly the fields.
    names.map((name) => [name, field as keyof TemplateData] as const),
  ),
);

/** For printing the whole. */
export function dataAsJson(data: TemplateData, time: string): JsonObject {
  const { Request, Requests, Headers, MessageIndex, StubID, AttemptNumber, MaxAttempts, Session } = data;
  const all: Record<keyof TemplateData, Json> = {
    Request,
    Requests,
    Headers,
    MessageIndex,
    RequestTime: time,
    StubID,
    AttemptNumber,
    MaxAttempts,
    Session,
  };
  return all;
}
