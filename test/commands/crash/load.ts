import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';

/** What a client has seen of one call. */
export interface Seen {
  /** Encoded messages in hex, in order. */
  readonly messages: readonly string[];
  /** The status that the server gave; absent when the connection broke first. */
  readonly code?: number;
}

export interface Load {
  /** By request id: every call of which anything was seen. */
  readonly seen: ReadonlyMap<string, Seen>;
  /** Resolves when the server answers no more. */
  readonly over: Promise<unknown>;
}

/** The header that names a call, in the client and in the log. */
export const requestIdHeader = 'x-request-id';

// A status that no stub gives is one that the client made up because the connection broke.
const givenByServer: ReadonlySet<number> = new Set([status.OK, status.NOT_FOUND, status.FAILED_PRECONDITION]);

interface Caller {
  readonly client: Client;
  readonly metadata: Metadata;
  readonly text: string;
}

type Call = (caller: Caller) => Promise<Seen>;

/** Calls in all four ways, several at a time, until the server is gone. `answered` is called with each answer's number. */
export function startLoad(address: string, name: string, answered: (count: number) => void): Load {
  const seen = new Map<string, Seen>();
  const client = new Client(address, credentials.createInsecure());
  let count = 0;
  const work = async (worker: number, call: Call): Promise<void> => {
    for (let turn = 1; ; turn += 1) {
      const id = `${name}-${worker}-${turn}`;
      const metadata = new Metadata();
      metadata.set(requestIdHeader, id);
      const result = await call({ client, metadata, text: `${words[turn % words.length] ?? ''} ${id}` });
      seen.set(id, result);
      if (result.code === undefined) return;
      answered((count += 1));
    }
  };
  const over = Promise.all(calls.map((call, worker) => work(worker, call))).finally(() => client.close());
  return { seen, over };
}

const words = ['hello', 'make', 'fail', 'made'];

const unary: Call = ({ client, metadata, text }) =>
  new Promise((resolve) => {
    client.makeUnaryRequest(
      '/talk.v1.Talk/Say',
      same,
      same,
      encodedWords(text),
      metadata,
      (error, answer) => {
        resolve(seenOf(answer === undefined ? [] : [answer], error));
      },
    );
  });

const serverStream: Call = ({ client, metadata, text }) =>
  collected(client.makeServerStreamRequest('/talk.v1.Talk/Count', same, same, encodedWords(text), metadata));

const clientStream: Call = ({ client, metadata, text }) =>
  new Promise((resolve) => {
    const path = '/talk.v1.Talk/Collect';
    const call = client.makeClientStreamRequest(path, same, same, metadata, (error, answer) => {
      resolve(seenOf(answer === undefined ? [] : [answer], error));
    });
    for (const part of ['first', 'second']) call.write(encodedWords(`${part} ${text}`));
    call.end();
  });

const bidiStream: Call = ({ client, metadata, text }) => {
  const call = client.makeBidiStreamRequest('/talk.v1.Talk/Chat', same, same, metadata);
  const result = collected(call);
  call.write(encodedWords(`first ${text}`));
  // The second goes out when the first has been answered, so that the kill falls into the middle of talks.
  call.once('data', () => {
    call.write(encodedWords(`second ${text}`));
    call.end();
  });
  return result;
};

const calls: readonly Call[] = [unary, unary, unary, unary, serverStream, clientStream, bidiStream];

interface Answers {
  on(event: 'data', listener: (answer: Buffer) => void): unknown;
  on(event: 'error', listener: (error: ServiceError) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
}

function collected(call: Answers): Promise<Seen> {
  const answers: Buffer[] = [];
  return new Promise((resolve) => {
    call.on('data', (answer) => answers.push(answer));
    call.on('error', (error) => resolve(seenOf(answers, error)));
    call.on('end', () => resolve(seenOf(answers, null)));
  });
}

function seenOf(answers: readonly Buffer[], error: ServiceError | null): Seen {
  const messages = answers.map((answer) => answer.toString('hex'));
  const code = error === null ? status.OK : error.code;
  return givenByServer.has(code) ? { messages, code } : { messages };
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

/** `Words { text = 1 }`, encoded; up to 127 bytes of text. */
function encodedWords(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x0a, bytes.length]), bytes]);
}
