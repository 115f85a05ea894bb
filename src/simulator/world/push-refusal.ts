import type { RefMove } from '../payloads/push-event.ts';
import type { Actor, RulePolicy, RuleType } from './access.ts';
import { isFastForward } from './move-ref.ts';
import type { ApiError } from './outcome.ts';
import { unprocessable } from './refusals.ts';
import type { Repository, World } from './state.ts';

/** What each rule says when it refuses; null for rules that no push of the simulation can break. */
const SENTENCES: Readonly<Record<RuleType, string | null>> = {
  pull_request: 'Changes must be made through a pull request.',
  update: 'Cannot update this protected ref.',
  non_fast_forward: 'Cannot force-push to this branch',
  deletion: 'Cannot delete this protected ref.',
  required_signatures: null,
};

/** The rules that stand for a branch, as `GET rules/branches/{branch}` lists them. */
export function rulesOf(repository: Repository, branch: string): readonly (RulePolicy & { readonly type: RuleType })[] {
  return repository.rules
    .filter(({ branches }) => branches.includes('*') || branches.includes(branch))
    .flatMap((rule) => rule.types.map((type) => ({ ...rule, type })));
}

/** The refusal of a push that a ruleset forbids, or undefined. An App bypasses by its bot's account id. */
export function pushRefusal(world: World, repository: Repository, actor: Actor, move: RefMove): ApiError | undefined {
  if (!move.ref.startsWith('refs/heads/')) return undefined;
  const rules = rulesOf(repository, move.ref.slice('refs/heads/'.length));
  const broken = rules
    .filter(({ bypassIds }) => !bypassIds.includes(actor.accountId))
    .filter(({ type }) => breaks(world, type, move))
    .flatMap(({ type }) => SENTENCES[type] ?? []);
  if (broken.length === 0) return undefined;
  return unprocessable(`Repository rule violations found\n\n${broken.join('\n')}\n\n`);
}

function breaks(world: World, type: RuleType, { before, after }: RefMove): boolean {
  switch (type) {
    case 'pull_request':
    case 'update':
      return before !== null && after !== null;
    case 'non_fast_forward':
      return before !== null && after !== null && !isFastForward(world, before, after);
    case 'deletion':
      return after === null;
    case 'required_signatures':
      return false;
  }
}
