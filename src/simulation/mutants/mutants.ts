import { DECIDING } from './deciding.ts';
import { FORGETTING } from './forgetting.ts';
import { HEARING } from './hearing.ts';
import type { Mutant } from './mutant.ts';
import { PERFORMING } from './performing.ts';

/** All of them, each with the promise that it breaks. */
export const MUTANTS: readonly Mutant[] = [...HEARING, ...DECIDING, ...PERFORMING, ...FORGETTING];
