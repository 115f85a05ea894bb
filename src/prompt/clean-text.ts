import { withoutHidden } from '../render/visible.ts';
import { withoutComments } from './hidden-comments.ts';

/** What a person reads of a text; `removed` counts hidden characters and hidden comments that were taken out. */
export type CleanText = { readonly text: string; readonly removed: number };

/**
 * A person's Markdown as a reader of the page sees it: without HTML comments outside code and without characters that
 * nobody can see, so that the agent is told nothing that people are not.
 */
export function cleanText(text: string): CleanText {
  const shown = withoutComments(text.toWellFormed().replace(/\r\n?/g, '\n'));
  const clean = withoutHidden(shown.text);
  return { text: clean.trim(), removed: shown.removed + ([...shown.text].length - [...clean].length) };
}
