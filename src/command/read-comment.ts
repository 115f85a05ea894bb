import { isAffirmation } from './affirmation.ts';
import { commandBelow } from './buried-command.ts';
import { withoutSignature } from './email-reply.ts';
import { type Misfit, misfit, readLine } from './grammar.ts';
import type { Utterance } from './intent.ts';
import { type MaskedBody, maskBody } from './mask.ts';
import { type QuotedId, quotedIds } from './quoted-ids.ts';

/** What a comment says, and which of our proposals it quotes. */
export type ReadComment = { readonly utterance: Utterance; readonly quotedIds: readonly QuotedId[] };

/** Reads any comment's body, in time linear in its length; `slug` is the App's own name. Never throws. */
export function readComment(body: string, slug: string): ReadComment {
  const masked = maskBody(body);
  return { utterance: utteranceOf(masked, slug), quotedIds: quotedIds(masked.quoted) };
}

function utteranceOf(masked: MaskedBody, slug: string): Utterance {
  const said = masked.first === null ? null : readLine(masked.first, masked.below, slug);
  if (said !== null) return unlessDoubted(masked.cut ? cutShort(said) : said, masked);
  return swallowedCommand(masked, slug) ?? remark(masked, slug);
}

/** What a cut comment quotes is not wholly known, so an approval in it must name its ids. */
function cutShort(said: Utterance): Utterance {
  if (said.kind !== 'command' || said.command.name !== 'approve' || said.command.targets.by === 'ids') return said;
  return misfit('approve', '', 'too-long', said.addressed);
}

/** A yes above lines of one's own, or above another command: nobody can tell which of the two is meant, so it is neither. */
function unlessDoubted(said: Utterance, masked: MaskedBody): Utterance {
  if (said.kind !== 'command' || said.command.name !== 'approve') return said;
  if (holdsBlock(masked)) return misfit('approve', 'suggestion', 'block-below', said.addressed);
  const other = commandBelow(masked.below);
  return other === null ? said : misfit('approve', `/${other}`, 'command-below', said.addressed);
}

function holdsBlock({ suggestions, unclosedSuggestion }: MaskedBody): boolean {
  return suggestions.length > 0 || unclosedSuggestion;
}

/** People mean a command that they wrote right below a quote; Markdown does not show it as one. */
function swallowedCommand({ swallowed }: MaskedBody, slug: string): Utterance | null {
  const meant = swallowed === null ? null : readLine(swallowed, '', slug);
  const likely = meant === null ? null : likeCommand(meant);
  return likely === null ? null : misfit(likely.command, '>', 'swallowed', likely.addressed);
}

function likeCommand(utterance: Utterance): Pick<Misfit, 'command' | 'addressed'> | null {
  switch (utterance.kind) {
    case 'command':
      return { command: utterance.command.name, addressed: utterance.addressed };
    case 'misfit':
      return utterance;
    case 'mention':
      return { command: 'task', addressed: true };
    case 'unknown-command':
    case 'remark':
      return null;
  }
}

function remark(masked: MaskedBody, slug: string): Utterance {
  const { text, suggestions, unclosedSuggestion } = masked;
  return {
    kind: 'remark',
    text: withoutSignature(text) === '' ? '' : text,
    toSomebodyElse: isToSomebodyElse(text, slug),
    affirmation: !holdsBlock(masked) && isAffirmation(text),
    suggestions,
    unclosedSuggestion,
  };
}

function isToSomebodyElse(text: string, slug: string): boolean {
  const name = /^@([a-z0-9](?:[a-z0-9/_-]{0,150}))/i.exec(text)?.[1];
  return name !== undefined && name.toLowerCase() !== slug.toLowerCase();
}
