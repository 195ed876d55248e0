import type { DescMethod, FileRegistry } from '@bufbuild/protobuf';
import type { Map } from 'immutable';

/** What is known of messages and services: an immutable value. */
export interface Descriptors {
  /** Encoded `google.protobuf.FileDescriptorProto` by file name, without the built-in files. */
  readonly files: Map<string, Uint8Array>;
  /** All files, the built-in ones too. */
  readonly registry: FileRegistry;
  /** By path: `/package.Service/Method`. */
  readonly methods: ReadonlyMap<string, DescMethod>;
}
