import { DECISION_MUTANTS } from './decision-mutants.ts';
import { EFFECT_MUTANTS } from './effect-mutants.ts';
import { HOSTILE_MUTANTS } from './hostile-mutants.ts';
import type { Mutant } from './mutant.ts';
import { PATH_RULE_MUTANTS } from './path-rule-mutants.ts';
import { RUN_MUTANTS } from './run-mutants.ts';
import { STANDING_MUTANTS } from './standing-mutants.ts';
import { WEBHOOK_MUTANTS } from './webhook-mutants.ts';

/** All known mistakes. */
export const MUTANTS: readonly Mutant[] = [
  ...[...WEBHOOK_MUTANTS, ...DECISION_MUTANTS, ...STANDING_MUTANTS, ...EFFECT_MUTANTS],
  ...[...PATH_RULE_MUTANTS, ...RUN_MUTANTS, ...HOSTILE_MUTANTS],
];
