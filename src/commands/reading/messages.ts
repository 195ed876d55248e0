import type { Json } from '../../core/kernel/json.ts';
import { encodedJson } from '../../core/services/rpc/call-json.ts';
import { findMethod } from '../../core/services/rpc/descriptors.ts';
import type { World } from '../../core/simulator/world.ts';

export interface Decoder {
  request(bytes: Uint8Array): Json;
  response(bytes: Uint8Array): Json;
}

/** Reads the messages of a method, `/package.Service/Method`, as JSON, as far as they can be read. */
export function decoderFor(world: World, method: string): Decoder {
  const { descriptors } = world.rpc;
  const found = findMethod(descriptors, method);
  return {
    request: (bytes) => encodedJson(bytes, found?.input, descriptors),
    response: (bytes) => encodedJson(bytes, found?.output, descriptors),
  };
}
