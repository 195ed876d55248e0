import { TemplateFailure } from './failure.ts';
import { templateOutputBytesMax } from './limits.ts';

/** Takes text, and refuses to become longer than a template's output may be. */
export class TextSink {
  text = '';

  add(piece: string): void {
    if (this.text.length + piece.length > templateOutputBytesMax) throw tooLong();
    this.text += piece;
  }
}

export function tooLong(): TemplateFailure {
  return new TemplateFailure(`gives more than ${templateOutputBytesMax} bytes`);
}

/** Whether the UTF-8 of `text` stays within the limit; counts only when it is close. */
export function fitsOutput(text: string): boolean {
  if (text.length * 3 <= templateOutputBytesMax) return true;
  return utf8Length(text) <= templateOutputBytesMax;
}

export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
