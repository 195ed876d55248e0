/**
 * How Go's `strconv.FormatFloat` writes 64-bit floats. JavaScript rounds ties away from zero when it is given a number
 * of digits, Go rounds them to even, so the digits are computed exactly.
 */

/** `%v`: the fewest digits that read back as the same number. */
export function shortestFloat(value: number): string {
  const special = specialFloat(value);
  if (special !== undefined) return special;
  const exponent = decimalExponent(value);
  return exponent < -4 || exponent >= shortestExponentMax ? exponential(value, undefined) : plain(value);
}

/** From this power of ten on, `%v` writes an exponent. */
const shortestExponentMax = 6;

/** `%e` with `precision` digits after the point; without, as few as needed. */
export function exponential(value: number, precision: number | undefined): string {
  const special = specialFloat(value);
  if (special !== undefined) return special;
  if (precision === undefined) return padExponent(signedZero(value) + value.toExponential());
  const { digits, exponent } = significantDigits(Math.abs(value), precision + 1);
  const fraction = precision === 0 ? '' : `.${digits.slice(1)}`;
  return `${sign(value)}${digits.charAt(0)}${fraction}${exponentText(exponent)}`;
}

/** `%f` with `precision` digits after the point; without, as few as needed. */
export function fixed(value: number, precision: number | undefined): string {
  const special = specialFloat(value);
  if (special !== undefined) return special;
  if (precision === undefined) return plain(value);
  const digits = roundedQuotient(Math.abs(value), precision)
    .toString()
    .padStart(precision + 1, '0');
  const whole = digits.slice(0, digits.length - precision);
  return sign(value) + (precision === 0 ? whole : `${whole}.${digits.slice(-precision)}`);
}

/** `%g` with `precision` significant digits; without, as `%v`. */
export function general(value: number, precision: number | undefined): string {
  const special = specialFloat(value);
  if (special !== undefined) return special;
  if (precision === undefined) return shortestFloat(value);
  const wanted = Math.max(precision, 1);
  const { digits, exponent } = significantDigits(Math.abs(value), wanted);
  const kept = trimZeros(digits);
  if (exponent < -4 || exponent >= wanted) {
    const fraction = kept.length > 1 ? `.${kept.slice(1)}` : '';
    return `${sign(value)}${kept.charAt(0)}${fraction}${exponentText(exponent)}`;
  }
  return sign(value) + placePoint(kept, exponent);
}

function specialFloat(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? '+Inf' : '-Inf';
}

function sign(value: number): string {
  return value < 0 || Object.is(value, -0) ? '-' : '';
}

function signedZero(value: number): string {
  return Object.is(value, -0) ? '-' : '';
}

function decimalExponent(value: number): number {
  const text = value.toExponential();
  return Number(text.slice(text.indexOf('e') + 1));
}

/** Without an exponent, in as few digits as needed. */
function plain(value: number): string {
  const text = Math.abs(value).toExponential();
  const end = text.indexOf('e');
  return sign(value) + placePoint(text.slice(0, end).replace('.', ''), Number(text.slice(end + 1)));
}

/** `digits` with the point behind the digit of 10^0, when the first stands for 10^`exponent`. */
function placePoint(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return digits.padEnd(exponent + 1, '0');
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

function padExponent(text: string): string {
  const end = text.indexOf('e');
  return text.slice(0, end) + exponentText(Number(text.slice(end + 1)));
}

function exponentText(exponent: number): string {
  return `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (end > 1 && digits.charAt(end - 1) === '0') end -= 1;
  return digits.slice(0, end);
}

/** Exactly `count` digits of a number that is not negative, and the power of ten of the first. */
function significantDigits(
  value: number,
  count: number,
): { readonly digits: string; readonly exponent: number } {
  if (value === 0) return { digits: '0'.repeat(count), exponent: 0 };
  const exponent = decimalExponent(value);
  const digits = roundedQuotient(value, count - 1 - exponent).toString();
  if (digits.length === count) return { digits, exponent };
  // Rounding carried into a new digit: 9.99 to two digits is 10.
  return { digits: digits.slice(0, count), exponent: exponent + 1 };
}

/** `value` × 10^`power`, rounded to an integer, ties to even. */
function roundedQuotient(value: number, power: number): bigint {
  const { mantissa, exponent } = binaryParts(value);
  let above = mantissa;
  let below = 1n;
  if (exponent >= 0) above <<= BigInt(exponent);
  else below <<= BigInt(-exponent);
  if (power >= 0) above *= 10n ** BigInt(power);
  else below *= 10n ** BigInt(-power);
  const quotient = above / below;
  const twice = (above % below) * 2n;
  const roundsUp = twice > below || (twice === below && quotient % 2n === 1n);
  return roundsUp ? quotient + 1n : quotient;
}

/** `value` = mantissa × 2^exponent, exactly. */
function binaryParts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  if (biased === 0) return { mantissa: fraction, exponent: -1074 };
  return { mantissa: fraction | 0x10_0000_0000_0000n, exponent: biased - 1075 };
}
