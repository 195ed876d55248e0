import { fileURLToPath } from 'node:url';
import type { DescMessage } from '@bufbuild/protobuf';
import {
  noDescriptors,
  withDescriptors,
  type Descriptors,
} from '../../../../src/core/services/rpc/descriptors.ts';
import { loadProtoSources } from '../../../../src/edges/files/proto-sources.ts';

/** The descriptors of the `.proto` files of a folder. */
export function descriptorsBelow(folder: URL): Descriptors {
  const load = loadProtoSources({ paths: [fileURLToPath(folder)], importPaths: [] });
  if (!load.ok) throw new Error(JSON.stringify(load.problems));
  return loaded(noDescriptors, load.set);
}

export function loaded(descriptors: Descriptors, set: Uint8Array): Descriptors {
  const change = withDescriptors(descriptors, set);
  if (!change.ok) throw new Error(JSON.stringify(change.violations));
  return change.descriptors;
}

export function messageNamed(descriptors: Descriptors, name: string): DescMessage {
  const desc = descriptors.registry.getMessage(name);
  if (desc === undefined) throw new Error(`${name} is not known`);
  return desc;
}
