import { escapeHiddenAndCr } from '../../core/edits/text/unicode.ts';
import type {
  AccessLossCause,
  AlwaysRequest,
  Command,
  CommentIntent,
  CommentLocation,
  InstallationEvent,
  Intent,
  ParsedComment,
  Targets,
} from '../../core/state/intent.ts';
import { type Explanation, IGNORE_REASON_TEXTS, requiredFacts } from './explanation.ts';

/** A line's label and its text. */
type LabeledLine = readonly [string, string];

const LABEL_WIDTH = 10;

const MAX_LINE_CHARACTERS = 300;

/** Formats an explanation, with one line per fact. Ends with a newline. */
export function formatExplanation({ delivery, commandLine, interpretation }: Explanation): string {
  const action = delivery.action === null ? '' : `, ${delivery.action}`;
  const id = delivery.id === null ? '' : ` (${delivery.id})`;
  const rows: readonly LabeledLine[] = [
    ['delivery', `${delivery.event}${action}${id}`],
    ...(commandLine === null ? [] : ([['line', commandLine]] as const)),
    ...interpretationRows(interpretation),
    ...decisionRows(interpretation),
  ];
  return `${rows.map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}${toOneLine(text)}`).join('\n')}\n`;
}

/** Removes line breaks and escapes control characters, so that user text cannot control the terminal. */
function toOneLine(text: string): string {
  const characters = [...escapeHiddenAndCr(text.replaceAll(/\s+/g, ' ').trim())];
  return characters.length <= MAX_LINE_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, MAX_LINE_CHARACTERS).join('')} … (${characters.length} characters)`;
}

function interpretationRows(interpretation: Explanation['interpretation']): readonly LabeledLine[] {
  switch (interpretation.kind) {
    case 'ignored':
      return [['read as', `nothing (${interpretation.reason}): ${IGNORE_REASON_TEXTS[interpretation.reason]}`]];
    case 'intent':
      return intentRows(interpretation.intent);
    case 'installation-event':
      return installationEventRows(interpretation.installationEvent);
  }
}

function installationEventRows(event: InstallationEvent): readonly LabeledLine[] {
  const { installationId, repositoryIds } = event;
  const repositories = repositoryIds === null ? '' : `, repositories ${repositoryIds.join(', ')}`;
  return [
    ['on', `all pull requests of installation ${installationId}${repositories} with active work`],
    ['read as', event.kind === 'access-lost' ? accessLossText(event.cause) : ACCESS_RESTORED],
  ];
}

const ACCESS_RESTORED = 'the App has access again: it reads the comments that it missed from the pull requests';

function accessLossText(cause: AccessLossCause): string {
  return `the App has lost its access (${cause})`;
}

function intentRows(intent: Intent): readonly LabeledLine[] {
  const { pull, actor } = intent;
  return [
    ['on', `${pull.owner}/${pull.repo}#${pull.number} (installation ${pull.installationId})`],
    ['by', `${actor.login} (${actor.type}, ${actor.id})`],
    ...('location' in intent && hasLocation(intent.location)
      ? ([['where', locationText(intent.location)]] as const)
      : []),
    ...('createdAt' in intent ? ([['when', String(intent.createdAt)]] as const) : []),
    ['read as', intent.kind === 'comment' ? commentText(intent.parsed) : eventText(intent)],
    ...(intent.kind === 'comment' ? quoteRows(intent) : []),
  ];
}

function hasLocation(location: CommentLocation | null | undefined): location is CommentLocation {
  return location !== null && location !== undefined;
}

function locationText(location: CommentLocation): string {
  switch (location.at) {
    case 'conversation':
      return `the conversation, comment ${location.commentId}`;
    case 'thread':
      return `the review thread of comment ${location.rootId} on ${location.path}, comment ${location.commentId}`;
    case 'review':
      return `the body of review ${location.reviewId}`;
  }
}

function quoteRows({ quotedIds }: CommentIntent): readonly LabeledLine[] {
  return quotedIds.length === 0 ? [] : [['quotes', quotedIds.map(({ id }) => id).join(', ')]];
}

function decisionRows(interpretation: Explanation['interpretation']): readonly LabeledLine[] {
  switch (interpretation.kind) {
    case 'ignored':
      return [['result', 'the App acknowledges the delivery and does not store it']];
    case 'intent':
      return requiredFacts(interpretation.intent).map((fact) => ['needs', fact] as const);
    case 'installation-event':
      return [];
  }
}

function commentText(comment: ParsedComment): string {
  switch (comment.kind) {
    case 'command':
      return `the command ${commandText(comment.command)}`;
    case 'malformed-command':
      return comment.command === null
        ? `no command: /${comment.word}. ${comment.hint}`
        : `no command: ${quote(comment.word)} does not fit /${comment.command}. ${comment.hint}`;
    case 'unknown-command':
      return `an unknown command: ${comment.word}${comment.nearest === null ? '' : `, similar to /${comment.nearest}`}`;
    case 'mention':
      return `a message to the agent: ${quote(comment.text)}`;
    case 'text':
      return plainTextDescription(comment);
  }
}

/** Derived from the fields of a command, so that a new command needs no text here. */
function commandText(command: Command): string {
  const text = 'text' in command ? `: ${quote(command.text)}` : '';
  const targets = 'targets' in command ? `, for ${targetsText(command.targets)}` : '';
  const number = 'number' in command ? `, number ${command.number}` : '';
  const always = 'always' in command && command.always !== undefined ? alwaysText(command.always) : '';
  const note = 'note' in command ? labeledPart('note', command.note) : '';
  const reason = 'reason' in command ? labeledPart('reason', command.reason) : '';
  const instruction = 'instruction' in command ? labeledPart('instruction', command.instruction) : '';
  return `${command.name}${text}${number}${targets}${always}${note}${reason}${instruction}`;
}

function alwaysText({ glob }: AlwaysRequest): string {
  return `, and always for ${glob === null ? 'its path' : quote(glob)}`;
}

function targetsText(targets: Targets): string {
  switch (targets.by) {
    case 'ids':
      return targets.ids.join(', ');
    case 'all':
      return 'all pending changes';
    case 'location':
      return 'the change at this location';
  }
}

function plainTextDescription({
  text,
  addressedToSomeoneElse,
  affirmation,
  suggestions,
  hasUnclosedSuggestion,
}: Extract<ParsedComment, { kind: 'text' }>): string {
  const blocks = suggestions.length;
  return [
    text === '' ? 'a comment without text' : `a comment: ${quote(text)}`,
    ...(addressedToSomeoneElse ? ['addressed to another account'] : []),
    ...(affirmation ? ['an affirmation, which is no approval'] : []),
    ...(blocks === 0 ? [] : [`with ${blocks} suggestion ${blocks === 1 ? 'block' : 'blocks'}`]),
    ...(hasUnclosedSuggestion ? ['with an unclosed or ambiguous suggestion block'] : []),
  ].join('; ');
}

/** Describes an event other than a new comment. */
export function eventText(intent: Exclude<Intent, CommentIntent>): string {
  switch (intent.kind) {
    case 'edited':
      return `an edited comment, which is never a decision: ${commentText(intent.parsed)}`;
    case 'own-comment':
      return `a comment of the App, ${intent.action} by another account`;
    case 'deleted':
      return 'a deleted comment';
    case 'opened':
      return 'the pull request was opened or reopened';
    case 'pushed':
      return `a push from ${intent.before} to ${intent.after}`;
    case 'retargeted':
      return `a change of the base branch from ${intent.from} to ${intent.to}`;
    case 'closed':
      return intent.merged ? 'the pull request was merged' : 'the pull request was closed';
    case 'dismissed':
      return `the App’s review ${intent.reviewId} was dismissed`;
    case 'thread':
      return `the review thread of comment ${intent.rootId} was ${intent.resolved ? 'resolved' : 'reopened'}`;
  }
}

function labeledPart(label: string, text: string): string {
  return text === '' ? '' : `; ${label}: ${quote(text)}`;
}

function quote(text: string): string {
  return `"${text}"`;
}
