/**
 * Sets a property of the object itself. A plain assignment would do, but for the key `__proto__`: that sets the prototype,
 * and the key is lost.
 */
export function setOwn<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
