import { Buffer } from 'node:buffer';
import { putBlob, readBlob } from '../git/blob.ts';
import { readCommit } from '../git/commit-object.ts';
import type { Sha } from '../git/object-store.ts';
import type { TreeEntry } from '../git/tree-object.ts';
import { entryAt, updateTree } from '../git/trees.ts';
import type { OnPull } from '../world/inputs.ts';
import { mayWrite, type PullPlace, pullPlace } from '../world/lookup.ts';
import { moveRef } from '../world/move-ref.ts';
import type { ApiError, Operation, Outcome } from '../world/outcome.ts';
import { pushRefusal } from '../world/push-refusal.ts';
import { NOT_ALLOWED, NOT_FOUND, unprocessable } from '../world/refusals.ts';
import { personSignature, putGitHubCommit } from '../world/signatures.ts';
import type { Repository, World } from '../world/state.ts';
import { resolveThread } from '../world/threads.ts';
import { done, recorded, refused } from '../world/update.ts';
import { checkSuggestion, overlapping, type Suggestion } from './check-suggestion.ts';
import { replaceLines } from './replace-lines.ts';
import { suggestionMessage } from './suggestion-message.ts';

/**
 * Which comments' suggestions go into one commit: one for *Commit suggestion*, several for a
 * batch. It is not known whether GitHub tells of the threads it then resolves: `silently` drops that event.
 */
export type CommitSuggestion = OnPull & {
  readonly commentIds: readonly number[];
  readonly resolves?: 'with an event' | 'silently';
};

/**
 * A person presses *Commit suggestion*. The commit is the person's, committed by GitHub, and
 * credits who suggested. Refused, with nothing changed, where GitHub greys out the button.
 */
export const commitSuggestion: Operation<CommitSuggestion, Sha> = (world, input, now) => {
  const place = pullPlace(world, input.repositoryId, input.number);
  const account = world.accounts.get(input.actor.accountId);
  const source = place === undefined ? undefined : world.repositories.get(place.pull.head.repositoryId);
  if (place === undefined || account === undefined || source === undefined) return refused(world, NOT_FOUND);
  const suggestions = suggestionsOf(place, source, input);
  if ('status' in suggestions) return refused(world, suggestions);
  const { head } = place.pull;
  const tree = treeWith(world, head.sha, suggestions);
  if (tree === undefined) return refused(world, unprocessable('This suggestion does not change the file.'));
  const message = suggestionMessage(world, account, suggestions);
  const author = personSignature(world, account, now);
  const sha = putGitHubCommit(world, { tree, parents: [head.sha], message, author }, now);
  return push(world, { place, source, input, suggestions, sha }, now);
};

type Push = {
  readonly place: PullPlace;
  readonly source: Repository;
  readonly input: CommitSuggestion;
  readonly suggestions: readonly Suggestion[];
  readonly sha: Sha;
};

function push(world: World, { place, source, input, suggestions, sha }: Push, now: number): Outcome<Sha> {
  const { head } = place.pull;
  const move = { ref: `refs/heads/${head.branch}`, before: head.sha, after: sha };
  const refusal = pushRefusal(world, source, input.actor, move);
  if (refusal !== undefined) return refused(world, refusal);
  const about = { repositoryId: source.id, number: input.number, after: sha };
  const committed = recorded(world, 'commit-created', input.actor, now, about);
  const moved = moveRef(committed, source, input.actor, move, now);
  let { state } = moved;
  let events = moved.events;
  for (const { thread } of suggestions) {
    const resolved = resolveThread(state, { actor: input.actor, threadNodeId: thread.nodeId }, now);
    state = resolved.state;
    if (input.resolves !== 'silently') events = [...events, ...resolved.events];
  }
  return done(state, sha, events);
}

function suggestionsOf(
  { repository, pull }: PullPlace,
  source: Repository,
  { actor, commentIds }: CommitSuggestion,
): readonly Suggestion[] | ApiError {
  const upstream = pull.maintainerCanModify && mayWrite(repository, actor.accountId);
  if (!mayWrite(source, actor.accountId) && !upstream) return NOT_ALLOWED;
  if (pull.state === 'closed') return unprocessable('Suggestions cannot be applied while the pull request is closed.');
  const checked = commentIds.map((id) => checkSuggestion(pull, id));
  const problem = checked.find((one) => typeof one === 'string');
  if (problem !== undefined) return unprocessable(problem);
  const suggestions = checked.filter((one) => typeof one !== 'string');
  if (suggestions.length === 0) return NOT_FOUND;
  return overlapping(suggestions)
    ? unprocessable('Only one suggestion per line can be applied in a batch.')
    : suggestions;
}

/** The tree with all suggestions applied to their files, or undefined when a file stays as it is. */
function treeWith(world: World, head: Sha, suggestions: readonly Suggestion[]): Sha | undefined {
  const base = readCommit(world.store, head)?.tree ?? '';
  const changes = new Map<string, TreeEntry>();
  for (const [path, ofFile] of Map.groupBy(suggestions, ({ thread }) => thread.path)) {
    const entry = entryAt(world.store, base, path);
    const before = entry === undefined ? undefined : readBlob(world.store, entry.sha);
    if (entry === undefined || before === undefined) return undefined;
    const replacements = ofFile.map(({ replacement }) => replacement);
    const after = replaceLines(before, replacements);
    const changesEach = replacements.every((one) => !Buffer.from(replaceLines(before, [one])).equals(before));
    if (!changesEach) return undefined;
    changes.set(path, { mode: entry.mode, sha: putBlob(world.store, after) });
  }
  return updateTree(world.store, base, changes);
}
