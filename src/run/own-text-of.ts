import type { OwnTextInput } from '../change/own-text.ts';
import type { FileAtHead } from '../policy/freshness.ts';
import type { Facts, Need } from './facts.ts';

/** A person's own lines without the file that they are for. */
type Own = Extract<Need, { kind: 'own-text' }>['own'];

/** What own lines come to where their change's file is another one by now. */
export const NO_PLACE = { kind: 'refused', refusal: { why: 'no-place' } } as const satisfies Facts['ownText'];

/** Own lines with the file that their change was proposed for; null where `file` is another one, or no text. */
export function ownTextOf(own: Own, file: FileAtHead | null): OwnTextInput | null {
  const { base } = own.change;
  if (base === null) return { ...own, baseText: null };
  if (file?.blob !== base.blob || file.text === null) return null;
  return { ...own, baseText: file.text };
}
