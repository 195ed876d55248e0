import { create, toBinary, type Message } from '@bufbuild/protobuf';
import { unreachable } from '../../kernel/unreachable.ts';
import { decodeMessage } from './codec.ts';
import {
  fileBytes,
  fileOfSymbol,
  noDescriptors,
  serviceNames,
  type DescriptorFile,
  type Descriptors,
} from './descriptors.ts';
import type { Answer } from './health.ts';
import { importsFirst } from './protobuf/descriptor-set.ts';
import { extensionNumbers, fileOfExtension } from './protobuf/lookup.ts';
import { statusCodes } from './status-codes.ts';

export type ReflectionVersion = 'v1' | 'v1alpha';

/** Bytes of files in one answer: under the 4 MiB that clients take. What does not fit, they ask for by name. */
export const reflectionBytesMax = 3 * 1024 * 1024;

/**
 * Answers one message to the reflection service (grpc/reflection/v1/reflection.proto). A file comes with all that it
 * imports, itself first. What is not known is an `ErrorResponse` in the answer, and the stream goes on; only a message
 * that does not decode ends it.
 */
export function answerReflection(
  descriptors: Descriptors,
  version: ReflectionVersion,
  message: Uint8Array,
): Answer {
  // The built-in types, whatever else was loaded under their names.
  const requestType = noDescriptors.registry.getMessage(`grpc.reflection.${version}.ServerReflectionRequest`);
  const responseType = noDescriptors.registry.getMessage(
    `grpc.reflection.${version}.ServerReflectionResponse`,
  );
  if (requestType === undefined || responseType === undefined) {
    return { ok: false, code: statusCodes.UNIMPLEMENTED, message: `reflection ${version} is not known` };
  }
  const decoded = decodeMessage(requestType, message);
  if (!decoded.ok) return { ok: false, code: statusCodes.INVALID_ARGUMENT, message: decoded.problem };
  // The built-in type says so.
  const request = decoded.message as Message & ReflectionRequest;
  const response = {
    validHost: request.host,
    originalRequest: request,
    messageResponse: answer(descriptors, request),
  };
  return { ok: true, bytes: toBinary(responseType, create(responseType, response)) };
}

interface ReflectionRequest {
  readonly host: string;
  readonly messageRequest:
    | {
        readonly case:
          | 'fileByFilename'
          | 'fileContainingSymbol'
          | 'allExtensionNumbersOfType'
          | 'listServices';
        readonly value: string;
      }
    | { readonly case: 'fileContainingExtension'; readonly value: ExtensionRequest }
    | { readonly case: undefined };
}

interface ExtensionRequest {
  readonly containingType: string;
  readonly extensionNumber: number;
}

interface ReflectionAnswer {
  readonly case:
    | 'fileDescriptorResponse'
    | 'allExtensionNumbersResponse'
    | 'listServicesResponse'
    | 'errorResponse';
  readonly value: Readonly<Record<string, unknown>>;
}

function answer(descriptors: Descriptors, { messageRequest }: ReflectionRequest): ReflectionAnswer {
  const { index } = descriptors;
  switch (messageRequest.case) {
    case 'listServices':
      return {
        case: 'listServicesResponse',
        value: { service: listedServices(descriptors).map((name) => ({ name })) },
      };
    case 'fileByFilename':
      return files(descriptors, index.files.get(messageRequest.value), `file ${messageRequest.value}`);
    case 'fileContainingSymbol':
      return files(
        descriptors,
        fileOfSymbol(descriptors, messageRequest.value),
        `symbol ${messageRequest.value}`,
      );
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = messageRequest.value;
      const file = fileOfExtension(index, containingType, extensionNumber);
      return files(descriptors, file, `extension ${extensionNumber} of ${containingType}`);
    }
    case 'allExtensionNumbersOfType':
      return numbers(descriptors, messageRequest.value);
    case undefined:
      return refusal(statusCodes.INVALID_ARGUMENT, 'the request asks for nothing');
    default:
      return unreachable(messageRequest);
  }
}

/** Loaded services, and the built-in ones that a server offers. */
function listedServices(descriptors: Descriptors): readonly string[] {
  const builtIn = [
    'grpc.health.v1.Health',
    'grpc.reflection.v1.ServerReflection',
    'grpc.reflection.v1alpha.ServerReflection',
  ];
  return [...new Set([...serviceNames(descriptors), ...builtIn])].sort();
}

function files(descriptors: Descriptors, file: DescriptorFile | undefined, what: string): ReflectionAnswer {
  if (file === undefined) return refusal(statusCodes.NOT_FOUND, `${what} is not known`);
  const sent: Uint8Array[] = [];
  let size = 0;
  for (const one of [file, ...importsFirst([file]).filter((other) => other !== file)]) {
    const bytes = fileBytes(descriptors, one);
    size += bytes.length;
    // The file that was asked for goes out whatever its size.
    if (size > reflectionBytesMax && sent.length > 0) break;
    sent.push(bytes);
  }
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: sent } };
}

function numbers(descriptors: Descriptors, typeName: string): ReflectionAnswer {
  if (descriptors.registry.getMessage(typeName) === undefined)
    return refusal(statusCodes.NOT_FOUND, `type ${typeName} is not known`);
  const extensionNumber = extensionNumbers(descriptors.index, typeName);
  return { case: 'allExtensionNumbersResponse', value: { baseTypeName: typeName, extensionNumber } };
}

function refusal(errorCode: number, errorMessage: string): ReflectionAnswer {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}
