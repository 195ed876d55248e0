import { create, fromBinary, fromJson, toBinary, toJson, type JsonValue } from '@bufbuild/protobuf';
import { createFileRegistry } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';

// A small service with all four kinds of call, as a descriptor set, so that tests of core need no parser:
//
//   package talk.v1;
//   message Line { string text = 1; int64 number = 2; repeated string tags = 3; }
//   service Talk { Say(Line) → Line; Gather(stream Line) → Line; Tell(Line) → stream Line; Chat(stream Line) → stream Line }

const line = '.talk.v1.Line';

function method(name: string, clientStreaming: boolean, serverStreaming: boolean) {
  return { name, inputType: line, outputType: line, clientStreaming, serverStreaming };
}

const file = create(FileDescriptorProtoSchema, {
  name: 'talk/v1/talk.proto',
  package: 'talk.v1',
  syntax: 'proto3',
  messageType: [
    {
      name: 'Line',
      field: [
        { name: 'text', jsonName: 'text', number: 1, type: Type.STRING, label: Label.OPTIONAL },
        { name: 'number', jsonName: 'number', number: 2, type: Type.INT64, label: Label.OPTIONAL },
        { name: 'tags', jsonName: 'tags', number: 3, type: Type.STRING, label: Label.REPEATED },
      ],
    },
  ],
  service: [
    {
      name: 'Talk',
      method: [
        method('Say', false, false),
        method('Gather', true, false),
        method('Tell', false, true),
        method('Chat', true, true),
      ],
    },
  ],
});

const set = create(FileDescriptorSetSchema, { file: [file] });

/** An encoded `FileDescriptorSet` that holds `talk.v1.Talk`. */
export const talkDescriptors: Uint8Array = toBinary(FileDescriptorSetSchema, set);

const registry = createFileRegistry(set);
const lineDescriptor = registry.getMessage('talk.v1.Line') ?? missing();

function missing(): never {
  throw new Error('the descriptor set has no talk.v1.Line');
}

/** An encoded `Line`. */
export function encodeLine(json: JsonValue): Uint8Array {
  return toBinary(lineDescriptor, fromJson(lineDescriptor, json));
}

export function decodeLine(bytes: Uint8Array): JsonValue {
  return toJson(lineDescriptor, fromBinary(lineDescriptor, bytes));
}
