const plainMessage = /^(?! )[ -$&-~]*(?<! )$/;

/**
 * A status message as the header `grpc-message` carries it: percent-encoded UTF-8 (gRPC over HTTP/2, "Responses").
 * Half a surrogate pair becomes U+FFFD; what is over `bytesMax` is cut at a whole character and ends in `…`.
 */
export function encodeStatusMessage(message: string, bytesMax: number): string {
  if (message.length <= bytesMax && plainMessage.test(message)) return message;
  const encoded = percentEncode(message.slice(0, bytesMax));
  return message.length <= bytesMax && encoded.length <= bytesMax ? encoded : cut(encoded, bytesMax);
}

/** Printable ASCII but for the percent sign stands for itself; a space at an end would be stripped on the way. */
function percentEncode(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^ -$&-~]+/gu, (part) => encodeURIComponent(part))
    .replace(/^ | $/g, '%20');
}

const ellipsis = '%E2%80%A6';

/** Cuts between characters: never inside `%XX`, never inside the bytes of one character. */
function cut(encoded: string, bytesMax: number): string {
  let end = Math.max(0, bytesMax - ellipsis.length);
  const percent = encoded.lastIndexOf('%', end - 1);
  if (percent > end - 3 && percent >= 0) end = percent;
  while (/^%[89AB][0-9A-F]/.test(encoded.slice(end, end + 3))) end = encoded.lastIndexOf('%', end - 1);
  return encoded.slice(0, end) + ellipsis;
}
