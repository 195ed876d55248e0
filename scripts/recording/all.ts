import { changes } from './changes.ts';
import { clocks } from './clocks.ts';
import { kinds } from './kinds.ts';
import { laterTools } from './later-tools.ts';
import { oddNames } from './odd-names.ts';
import type { Recording } from './recording.ts';
import { shop } from './shop.ts';

export const recordings: readonly Recording[] = [changes, clocks, kinds, laterTools, oddNames, shop];
