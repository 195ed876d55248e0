import { collectionFunctions } from './collection-functions.ts';
import { encodingFunctions } from './encoding-functions.ts';
import { faker } from './faker.ts';
import { takes, type TemplateFunction } from './function.ts';
import { numberFunctions } from './number-functions.ts';
import { textFunctions } from './text-functions.ts';
import { timeFunctions } from './time-functions.ts';

/** Every function that a template can call, by name; there is nothing else to call. */
export const templateFunctions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ...Object.entries(textFunctions),
  ...Object.entries(numberFunctions),
  ...Object.entries(collectionFunctions),
  ...Object.entries(timeFunctions),
  ...Object.entries(encodingFunctions),
  ['faker', takes(0, 0, (_, { environment }) => faker(environment))],
]);
