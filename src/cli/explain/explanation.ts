import { COMMANDS } from '../../core/commands/all-commands.ts';
import { splitComment } from '../../core/comments/comment-body.ts';
import type { CommandName, CommentIntent, Intent, ParsedComment } from '../../core/state/intent.ts';
import type { AppIdentity, CommandNeed } from '../../core/step/facts.ts';
import type { IgnoreReason } from '../../core/step/reasons.ts';
import { type Interpretation, interpret } from '../../core/webhooks/interpret.ts';
import { formatList } from '../../lib/format.ts';
import { isRecord } from '../../lib/trust.ts';
import type { RecordedDelivery } from './read-delivery.ts';

/** How the App reads one delivery. */
export type Explanation = {
  readonly delivery: { readonly id: string | null; readonly event: string; readonly action: string | null };
  /** The line of the comment that can contain a command; null if there is none. */
  readonly commandLine: string | null;
  readonly interpretation: Interpretation;
};

/** Explains how the App reads a delivery. */
export function explainDelivery({ id, event, payload }: RecordedDelivery, app: AppIdentity): Explanation {
  const body = bodyOf(payload);
  return {
    delivery: { id, event, action: textField(payload, 'action') },
    commandLine: body === null ? null : splitComment(body).firstLine,
    interpretation: interpret({ event, payload, app }),
  };
}

/** The raw body of the comment or review. */
function bodyOf(payload: unknown): string | null {
  if (!isRecord(payload)) return null;
  return textField(payload['comment'], 'body') ?? textField(payload['review'], 'body');
}

function textField(value: unknown, key: string): string | null {
  const field = isRecord(value) ? value[key] : undefined;
  return typeof field === 'string' ? field : null;
}

/** The facts that a decision needs, in the order in which the App looks them up. */
export function requiredFacts(intent: Intent): readonly string[] {
  const { login } = intent.actor;
  const { owner, repo } = intent.pull;
  const storedState = 'the stored state of the pull request: its run and its proposals';
  const permission = `if the comment is addressed to the App: the permission of ${login} on ${owner}/${repo}`;
  switch (intent.kind) {
    case 'comment':
      return [storedState, permission, ...commandFacts(intent)];
    case 'edited':
      return [storedState, permission];
    default:
      return [storedState, 'if a run or proposal is open: the current pull request on GitHub'];
  }
}

/** The facts that the command needs besides the person's permission, in one line. */
function commandFacts({ parsed }: CommentIntent): readonly string[] {
  const name = commandMeantBy(parsed);
  const needs = name === null ? undefined : COMMANDS[name].needs;
  return needs === undefined
    ? []
    : [`if ${needs.condition}: ${formatList(needs.kinds.map((kind) => NEED_TEXTS[kind]))}`];
}

/** The command that a comment can mean; null if it means none. */
function commandMeantBy(parsed: ParsedComment): CommandName | null {
  switch (parsed.kind) {
    case 'command':
      return parsed.command.name;
    case 'mention':
      return 'task';
    case 'text':
      return parsed.suggestions.length > 0 ? 'edit' : null;
    case 'malformed-command':
    case 'unknown-command':
      return null;
  }
}

const NEED_TEXTS = {
  'missing-permissions': 'the permissions of the App',
  'pull-request': 'the pull request',
  settings: 'the repository’s settings',
  'code-owners': 'the code owners of the changed paths',
  'run-limit': 'whether another run can start in the repository',
  'settings-in-force': 'the repository’s settings with their sources',
  'branch-rules': 'the rules of both branches',
  'other-pulls-on-branch': 'the other pull requests on its branch',
  'comment-hashes': 'the current text of the App’s comments with these changes',
  undo: 'the files of the change',
  staleness: 'the files of all open changes',
  'user-edit': 'the file of the change',
} as const satisfies Record<CommandNeed, string>;

/** Why the App ignores a delivery. */
export const IGNORE_REASON_TEXTS = {
  ping: 'GitHub only tested the webhook',
  'unknown-event': 'the App does not use this event',
  'unknown-action': 'the App does not use this action of the event',
  malformed: 'a required field is missing or differs from GitHub’s documentation',
  'no-installation': 'it names no installation',
  'not-a-pull-request': 'it belongs to an issue, not to a pull request',
  'no-actor': 'it names no account, for example because the account was deleted',
  'own-event': 'the App itself caused it',
  bot: 'a bot wrote it',
  'not-a-person': 'the account does not belong to a person',
  'posted-by-app': 'an App wrote it on behalf of a person',
  'author-is-not-sender': 'the author is not the sender',
  'empty-review': 'the review has no text of its own, and its comments arrive as separate deliveries',
  'not-our-review': 'the review does not belong to the App',
  'irrelevant-edit': 'the edited comment has no command and no mention of the App, and the base branch is the same',
  'access-unchanged': 'the App still has all permissions that it needs',
  'other-command': 'it is a command for another bot',
  'not-addressed': 'it is not addressed to the App, and it is no reply to a comment of the App',
} as const satisfies Record<IgnoreReason, string>;
