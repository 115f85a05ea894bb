import type { Answer } from '../run/answer.ts';
import { blocks, codeSpan } from './markdown.ts';

type Fault = Extract<Answer, { kind: 'fault' }>;

const WHAT = { words: ' when it read that comment', event: ', with an event of this pull request' } as const;

const WAY_ON = {
  words: 'Write the comment once more.',
  event: `${codeSpan('/status')} lists what is waiting. If the run does not go on, ${codeSpan('/stop')} ends it, and ${codeSpan('/countersign <task>')} starts a new one.`,
} as const;

/** What people hear of what was put aside, and what they can do about it. */
export function faultText({ fault, about }: Pick<Fault, 'fault' | 'about'>): string {
  const named = `the fault’s id, ${codeSpan(fault)}: the App’s log has the error under it.`;
  if (about === 'form')
    return blocks(
      'What goes on here was stored by another version of Countersign, and this one does not guess what it says. So nothing came of this, and nothing will of other comments on this pull request until that version runs again.',
      `Tell whoever runs this App ${named} What was waiting is kept as it was; say then what is to become of it.`,
    );
  return blocks(
    `Something went wrong in Countersign itself${WHAT[about]}. After several tries it was put aside, so nothing came of it; everything else here goes on.`,
    `${WAY_ON[about]} If that does not help, tell whoever runs this App ${named}`,
  );
}
