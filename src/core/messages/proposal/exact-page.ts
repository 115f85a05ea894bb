import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { RepoLinks } from '../../../lib/format.ts';
import { rememberTexts } from '../../../lib/remember-texts.ts';
import { type Change, type FileChange, isSet, onlyMember, unifiedDiffOf } from '../../edits/change.ts';
import { applySuggestion, choosePlacement, type Placement } from '../../edits/placement.ts';
import { blobSha, encodeText } from '../../edits/text/characters.ts';
import { applyUnifiedDiff } from '../../edits/text/hunks.ts';
import type { Proposal } from '../../state/proposal.ts';
import type { PullRequestFile } from '../../step/ports.ts';
import { shownRows } from './diff-markdown.ts';
import { type RenderedProposal, renderOpenProposal, renderProposal, renderUnshowable } from './proposal-comment.ts';
import { listsMembers } from './proposal-header.ts';
import type { ProposalView, RunDetails } from './proposal-status.ts';

/**
 * The surroundings of a proposal: the warnings of its run, the texts of its members' files at the head (empty if there
 * is none), the path to post it on, and the entry of that path in the pull request's diff.
 */
export type DraftContext = {
  readonly runDetails: RunDetails;
  readonly links: RepoLinks;
  readonly memberTexts: readonly string[];
  readonly file: PullRequestFile | undefined;
  readonly path: string;
};

/** The placement of a proposal and its page there. */
export type PlacedComments = { readonly placement: Placement; readonly comments: RenderedProposal };

/**
 * Drafts the page at the best placement. Returns null if no placement shows exactly the stored change when the page is
 * read back: people must never approve a change that they cannot see.
 */
export function draftComments(proposal: Proposal, context: DraftContext): PlacedComments | null {
  const { memberTexts, file, path } = context;
  const inPullRequest = file !== undefined && file.status !== 'removed';
  const [baseText = ''] = memberTexts;
  const only = onlyMember(proposal.change);
  const placement: Placement =
    only === null
      ? { kind: inPullRequest ? 'file' : 'conversation', path }
      : choosePlacement({ change: only, baseText, patch: file?.patch ?? null, inPullRequest });
  const drafted = draftCommentsAt(proposal, placement, context);
  if (drafted !== null || placement.kind !== 'suggestion') return drafted;
  return draftCommentsAt(proposal, { kind: 'file', path: placement.path }, context);
}

/** Drafts the page at this placement; null if it would not show exactly the stored change. */
export function draftCommentsAt(
  proposal: Proposal,
  placement: Placement,
  { runDetails, links, memberTexts }: DraftContext,
): PlacedComments | null {
  const comments = renderOpenProposal({ proposal, placement, ...runDetails, links, replacedByUrl: null });
  const expected = { change: proposal.change, placement, memberTexts };
  return comments === null || !proposalRoundTrips(comments, expected) ? null : { placement, comments };
}

/** The change and its placement, as they are stored. */
type StoredChange = {
  readonly change: Change;
  readonly placement: Placement;
};

/** The stored change with the text that each member is based on, in order (empty for a new file). */
type ExpectedProposal = StoredChange & { readonly memberTexts: readonly string[] };

/**
 * The comments of a posted proposal in its current state. A pending one is read back first, as it was before it was
 * posted: if it would not show exactly the stored change, it gets neither block nor command.
 */
export function renderPostedProposal(view: ProposalView): RenderedProposal {
  const rendered = renderProposal(view);
  const { proposal, placement } = view;
  const isExact = proposal.state !== 'proposed' || contentRoundTrips(rendered, { change: proposal.change, placement });
  return isExact ? rendered : renderUnshowable(view);
}

/** The open page of a pending change, read back likewise; null where it would not show exactly the stored change. */
export function renderListedProposal(view: ProposalView): string | null {
  const rendered = renderOpenProposal(view);
  const { proposal, placement } = view;
  return rendered !== null && contentRoundTrips(rendered, { change: proposal.change, placement })
    ? rendered.body
    : null;
}

/**
 * True if comments, parsed as GitHub parses them, show exactly the stored change: the suggestion block applied as
 * GitHub's button does, or the diff applied to the base, gives the stored bytes, and `contentRoundTrips`.
 */
export function proposalRoundTrips(rendered: RenderedProposal, expected: ExpectedProposal): boolean {
  const { change, placement, memberTexts } = expected;
  if (!contentRoundTrips(rendered, expected)) return false;
  if (placement.kind === 'suggestion') {
    const { startLine, line, lines } = placement;
    return isExpectedResult(change.members[0], applySuggestion(memberTexts[0] ?? '', startLine, line, lines));
  }
  return change.members.every((member, index) => {
    const [diff, text] = [unifiedDiffOf(member.payload), memberTexts[index]];
    return diff === null || (text !== undefined && isExpectedResult(member, applyUnifiedDiff(text, diff)));
  });
}

/**
 * True if a page, parsed as GitHub parses it, shows the stored lines or diff and nothing else that could be pressed,
 * followed or mistaken for it.
 */
function contentRoundTrips({ body, links }: RenderedProposal, stored: StoredChange): boolean {
  const page = parsePostedMarkdown(body);
  return hasOnlyAppMarkup(page, links) && pageShowsStored(page, body, stored);
}

function pageShowsStored(page: ParsedMarkdown, body: string, { change, placement }: StoredChange): boolean {
  if (!hasOnlyAppBlocks(page)) return false;
  if (isSet(change) && (placement.kind === 'suggestion' || !listsMembers(body, change))) return false;
  const diffs = page.nodes.filter((node) => node.type === 'code' && node.lang === 'diff');
  const shown = diffs.flatMap((node) => page.codeLinesOf(node) ?? []);
  if (placement.kind === 'suggestion') return shown.length === 0 && suggestionRoundTrips(page, placement.lines);
  const stored = shownRows(change);
  const hasAllRows = shown.length === stored.length && shown.every((row, index) => row === stored[index]);
  return hasAllRows && suggestionsIn(page).length === 0;
}

/** True if the text is what the change leaves; a deleted file leaves none. */
function isExpectedResult({ result }: FileChange, text: string | null): boolean {
  if (text === null) return false;
  return result === null ? text === '' : blobSha(encodeText(text)) === result.blob;
}

/** True if a body offers exactly these lines as its only suggestion, or none where they are null. */
export function suggestionRoundTrips(markdown: ParsedMarkdown, expectedLines: readonly string[] | null): boolean {
  const [only, ...others] = suggestionsIn(markdown);
  if (expectedLines === null || only === undefined) return expectedLines === null && only === undefined;
  const lines = others.length === 0 ? markdown.codeLinesOf(only) : null;
  return lines?.length === expectedLines.length && lines.every((line, index) => line === expectedLines[index]);
}

/** The blocks for which GitHub offers a commit button. */
function suggestionsIn({ nodes }: ParsedMarkdown): readonly Nodes[] {
  return nodes.filter((node) => node.type === 'code' && /^suggestion/i.test(node.lang ?? ''));
}

/** HTML of the App's own templates. */
const APP_HTML = /^(?:<!-- countersign:[a-z0-9:/-]+ -->|<details>\n<summary>[^<>]*<\/summary>|<\/details>)$/i;

const FOREIGN_NODES: ReadonlySet<Nodes['type']> = new Set<Nodes['type']>([
  'image',
  'imageReference',
  'linkReference',
  'definition',
  'heading',
]);

/** Text outside code that GitHub turns into a link or a mention. */
const AUTOLINKED_TEXT = /:\/\/|\bwww\.[a-z\d]|@[a-z\d]/i;

/** True if a body has no markup that could come from untrusted text: other HTML, images, headings, mentions, links. */
function hasOnlyAppMarkup({ nodes }: ParsedMarkdown, { repository }: RepoLinks): boolean {
  return nodes.every((node) => {
    if (node.type === 'html') return APP_HTML.test(node.value);
    if (node.type === 'link') return node.url.startsWith(`${repository}/`);
    if (node.type === 'text') return !AUTOLINKED_TEXT.test(node.value);
    return !FOREIGN_NODES.has(node.type);
  });
}

const APP_BLOCK = /^(?:diff|suggestion)$/;

/** True if all code blocks of a body are fenced as the App fences them. */
function hasOnlyAppBlocks({ nodes, codeLinesOf }: ParsedMarkdown): boolean {
  return nodes.every((node) => node.type !== 'code' || (APP_BLOCK.test(node.lang ?? '') && codeLinesOf(node) !== null));
}

/** A body as GitHub parses it: all nodes in order, and the lines of a fenced block (null for any other node). */
type ParsedMarkdown = {
  readonly nodes: readonly Nodes[];
  readonly codeLinesOf: (node: Nodes) => readonly string[] | null;
};

/** Parses a body. It is read back before it is posted, and often again when it is updated or decided. */
export const parsePostedMarkdown = rememberTexts((body: string): ParsedMarkdown => {
  const lines = body.split(/\r\n|\n|\r/);
  return { nodes: collectNodes(fromMarkdown(body)), codeLinesOf: (node) => fencedLines(node, lines) };
});

/**
 * The lines of a block whose fences stand at the left margin; null for any other node. They must be the node's value:
 * the tree does not tell an empty block from one with an empty line.
 */
function fencedLines({ type, position, ...node }: Nodes, lines: readonly string[]): readonly string[] | null {
  if (type !== 'code' || position === undefined || !('value' in node)) return null;
  const [first, last] = [position.start.line - 1, position.end.line - 1];
  const fence = /^`{3,}/.exec(lines[first] ?? '')?.[0];
  if (first === last || fence === undefined || lines[last] !== fence) return null;
  const inside = lines.slice(first + 1, last);
  return inside.join('\n') === node.value ? inside : null;
}

function collectNodes(root: Nodes): readonly Nodes[] {
  const found: Nodes[] = [];
  const pending: Nodes[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    found.push(node);
    if ('children' in node) pending.push(...node.children.toReversed());
  }
  return found;
}
