import type { Actor } from '../world/access.ts';
import type { Outcome } from '../world/outcome.ts';
import type { Repository } from '../world/state.ts';
import type { Reaction, ReactionContent } from '../world/talk.ts';
import { timestamp } from '../world/timestamp.ts';
import { done, recorded, takeId } from '../world/update.ts';
import type { Values } from './graphql-check.ts';
import { reachable, requirePermission, unknownNode } from './graphql-graph.ts';
import { REACTION_WORDS } from './graphql-schema.ts';
import { GraphRefusal } from './graphql-select.ts';
import { clientMutationId, type Mutated, type Mutating, settled } from './mutation.ts';
import { holdsConversation } from './permission-need.ts';

type Subject = {
  readonly repositoryId: number;
  readonly number: number;
  readonly id: number;
  readonly kind: 'issue comment' | 'pull comment' | 'review comment' | 'review';
};

/** `addReaction` on comments and on reviews, which REST cannot react to. */
export function addReaction(context: Mutating, input: Values): Mutated {
  const subjectId = String(input['subjectId']);
  const subject = reachable(context)
    .flatMap((repository) => subjects(repository))
    .find(({ nodeId }) => nodeId === subjectId);
  if (subject === undefined) throw unknownNode(subjectId);
  requireReactable(context, subject);
  const word = Object.entries(REACTION_WORDS).find(([name]) => name === input['content']);
  if (word === undefined) throw new GraphRefusal('UNPROCESSABLE', 'Unknown reaction');
  const [content, restContent] = word;
  const outcome = react(context, subject, restContent);
  const { state, value } = settled(context, outcome);
  const fields = { id: `REA_${value.id}`, databaseId: value.id, content };
  const reaction = { typeName: 'Reaction', fields };
  const payload = {
    typeName: 'AddReactionPayload',
    fields: { clientMutationId: clientMutationId(input), reaction },
  };
  return { payload, state, events: outcome.events };
}

function react(context: Mutating, subject: Subject, content: ReactionContent): Outcome<Reaction> {
  const { actor, operations, now } = context;
  const { world } = context.state;
  const input = { actor, repositoryId: subject.repositoryId, commentId: subject.id, content };
  switch (subject.kind) {
    case 'issue comment':
    case 'pull comment':
      return operations.reactToComment(world, input, now);
    case 'review comment':
      return operations.reactToReviewComment(world, input, now);
    case 'review':
      return reactToReview(context, actor, subject, content);
  }
}

/** Nothing ever reads a review's reactions, so only the history keeps them. */
function reactToReview(
  { state, now }: Mutating,
  actor: Actor,
  { repositoryId, number, id }: Subject,
  content: ReactionContent,
): Outcome<Reaction> {
  const [reactionId, world] = takeId(state.world);
  const reaction = { id: reactionId, authorId: actor.accountId, content, createdAt: timestamp(now) };
  return done(recorded(world, 'reaction-added', actor, now, { repositoryId, number, id }), reaction);
}

function requireReactable(context: Mutating, subject: Subject): void {
  if (subject.kind === 'review' || subject.kind === 'review comment') {
    requirePermission(context, 'pull_requests', 'write');
    return;
  }
  const { identity } = context;
  const onPull = subject.kind === 'pull comment';
  const held = identity.kind === 'installation' && holdsConversation(identity.token.permissions, onPull, 'write');
  if (!held) throw new GraphRefusal('FORBIDDEN', 'Resource not accessible by integration');
}

type Named = { readonly id: number; readonly nodeId: string };

function subjects(repository: Repository): readonly (Subject & { readonly nodeId: string })[] {
  const from = (number: number, kind: Subject['kind'], named: ReadonlyMap<number, Named>) =>
    [...named.values()].map(({ id, nodeId }) => ({ repositoryId: repository.id, number, id, nodeId, kind }));
  const issues = [...repository.issues.values()];
  const pulls = [...repository.pulls.values()];
  return [
    ...issues.flatMap((issue) => from(issue.number, 'issue comment', issue.comments)),
    ...pulls.flatMap((pull) => from(pull.number, 'pull comment', pull.comments)),
    ...pulls.flatMap((pull) => from(pull.number, 'review comment', pull.reviewComments)),
    ...pulls.flatMap((pull) => from(pull.number, 'review', pull.reviews)),
  ];
}
