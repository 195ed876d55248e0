import { join } from 'node:path';
import { credentials, loadPackageDefinition, Metadata, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { fixtures } from './running-process.ts';

export interface Answer {
  readonly text: string;
  readonly number: string;
}

export interface Chat {
  write(words: object): void;
  end(): void;
  on(event: 'data', listener: (answer: Answer) => void): void;
  on(event: 'error', listener: (error: ServiceError) => void): void;
  on(event: 'end', listener: () => void): void;
}

export interface TalkClient {
  /** Resolves with the answer, or with the error of the call. */
  say(text: string, session?: string): Promise<Answer | ServiceError>;
  chat(): Chat;
  close(): void;
}

interface RawClient {
  Say(words: object, metadata: Metadata, done: (error: ServiceError | null, answer?: Answer) => void): void;
  Chat(): Chat;
  close(): void;
}

/** A client of grpc-js for the service of the fixtures. */
export function talkClient(address: string): TalkClient {
  const definition = loadSync(join(fixtures, 'protos/talk.proto'), { longs: String });
  // The shape of what grpc-js makes of the definition is known from the file.
  const loaded = loadPackageDefinition(definition) as unknown as {
    talk: {
      v1: {
        Talk: new (address: string, options: ReturnType<typeof credentials.createInsecure>) => RawClient;
      };
    };
  };
  const client = new loaded.talk.v1.Talk(address, credentials.createInsecure());
  return {
    say: (text, session) =>
      new Promise((resolve, reject) => {
        const metadata = new Metadata();
        if (session !== undefined) metadata.set('x-doubletake-session', session);
        client.Say({ text }, metadata, (error, answer) => {
          const result = error ?? answer;
          if (result === undefined) reject(new Error('neither an answer nor an error'));
          else resolve(result);
        });
      }),
    chat: () => client.Chat(),
    close: () => client.close(),
  };
}
