import { describe, expect, it } from 'vitest';
import {
  findMethod,
  noDescriptors,
  withDescriptors,
  type Descriptors,
} from '../../../src/core/services/rpc/descriptors.ts';
import { compileProto } from '../../../src/edges/files/proto-text.ts';

const words = 'syntax = "proto3"; package talk; message Words { string text = 1; }';
const talk = `syntax = "proto3";
package talk;
import "words.proto";
import "google/protobuf/timestamp.proto";
service Talk { rpc Say(Words) returns (google.protobuf.Timestamp); }
`;

describe('the text of one .proto file', () => {
  it('becomes descriptors, with imports that are loaded or built in', () => {
    const known = withText(withText(noDescriptors, words, 'words.proto'), talk, 'talk.proto');
    expect(findMethod(known, '/talk.Talk/Say')?.input.typeName).toBe('talk.Words');
  });

  it('replaces the file of its name', () => {
    const before = withText(noDescriptors, words, 'words.proto');
    const after = withText(before, words.replace('text = 1', 'speech = 1'), 'words.proto');
    expect(after.registry.getMessage('talk.Words')?.fields.map(({ name }) => name)).toEqual(['speech']);
  });

  it.each([
    [talk, 'talk.proto:3: imports words.proto, which is not loaded'],
    ['syntax = "proto3"; message A { Nowhere b = 1; }', 'talk.proto:1: '],
    ['syntax = "proto3";\nmessage {', 'talk.proto:2: '],
  ])('is refused with the line of what is wrong', (source, message) => {
    expect(() => compileProto(source, 'talk.proto', noDescriptors)).toThrow(message);
  });
});

function withText(descriptors: Descriptors, source: string, name: string): Descriptors {
  const loaded = withDescriptors(descriptors, compileProto(source, name, descriptors));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.violations));
  return loaded.descriptors;
}
