import type { StepBuilder } from '../../../src/core/actions/step-builder.ts';
import { allowReading } from '../../../src/core/actions/tool-batch.ts';
import { isReading } from '../../../src/core/edits/change.ts';
import type { PathRule } from '../../../src/core/state/settings.ts';
import type { Step } from '../../../src/core/step/step.ts';
import { type Mutant, mutant, type Overrides, overridePulls, overrideSettings, overrideSteps } from './mutant.ts';

/** The rules that a run has are others than those that it began with. */
function overrideRules(change: (rules: readonly PathRule[]) => readonly PathRule[]): Overrides {
  return overridePulls((pull) => {
    if (pull.run === null) return pull;
    const settings = { ...pull.run.settings, rules: change(pull.run.settings.rules) };
    return { ...pull, run: { ...pull.run, settings } };
  });
}

/** The agent gets a file as soon as the last approval is counted. */
function allowReadingsAtOnce(step: Step): Step {
  const ids = step.effects.flatMap((effect) => (effect.type === 'commit' ? effect.proposalIds : []));
  const approved = step.pull.proposals.filter(({ id, change }) => ids.includes(id) && isReading(change));
  const started: StepBuilder = step;
  return { ...step, ...approved.reduce((next, one) => allowReading(next, one, one.decidedAt ?? ''), started) };
}

/** Mistakes in rules by path. */
export const PATH_RULE_MUTANTS: readonly Mutant[] = [
  mutant('deny-rule-unchecked', 'a rule that denies a path stops approvals and commits of it', () =>
    overrideSettings((text) => text.replace(/^rules: .*$/m, '')),
  ),
  mutant('gate-left-open', 'no tool shows a file before people approve that it is read', () =>
    overrideRules((rules) => rules.filter(({ decide }) => decide !== 'ask')),
  ),
  mutant(
    'readings-allowed-at-once',
    'an approval of a reading does not count if its comment is edited or deleted before',
    () => ({ ...overrideSteps(allowReadingsAtOnce), habits: ['gate-readings', 'withdraw'] }),
  ),
  // Each loading changes the rules again, so the order must not depend on the one before.
  mutant('last-rule-wins', 'the first rule that matches decides', () =>
    overrideRules((rules) => [
      ...rules.filter(({ decide }) => decide === 'allow'),
      ...rules.filter(({ decide }) => decide !== 'allow'),
    ]),
  ),
];
