// The few web standards that core uses. Every JavaScript engine that can run Doubletake has them,
// Node and browsers alike; core's own tsconfig loads neither's types, so they are declared here.

declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number };
}

declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean });
  decode(bytes?: Uint8Array): string;
}
