import type { Answer, NotUndone } from '../run/answer.ts';
import type { Proposal } from '../run/proposal.ts';
import { blocks, codeSpan, escapeText } from './markdown.ts';
import { listNamed } from './named-list.ts';
import { loginText } from './verdict.ts';
import { sha7 } from './words.ts';

const PATH_CAP = 300;
const MESSAGE_CAP = 1_000;

function pathText(path: string): string {
  return codeSpan([...path].slice(0, PATH_CAP).join(''));
}

/** Why nothing is proposed, and what else can be done. */
function whyNot(of: string, why: NotUndone): string {
  const id = codeSpan(of);
  switch (why.kind) {
    case 'waits':
      return blocks(`The undo of ${id} waits for a decision already:`, listNamed([why.undo]));
    case 'undone':
      return `${pathText(why.path)} is again as it was before ${id}, so there is nothing to undo.`;
    case 'changed-since':
      return `${pathText(why.path)} has changed since: what ${id} wrote does not stand there any more, or not at one place that can be told for certain. ${OTHERWISE}`;
    case 'commit-gone':
      return `The commit ${codeSpan(sha7(why.sha))}, which held ${id}, is not in this repository any more, so its exact reverse is not known. ${OTHERWISE}`;
    case 'taken':
      return `${pathText(why.path)} cannot come back to its place: since ${id} something else stands there or is in its way. ${OTHERWISE}`;
    case 'denied-path':
      return `Countersign may not write ${pathText(why.path)} (${codeSpan(why.rule.slice(0, 200))}), so ${id} can only be undone by hand.`;
    case 'touches':
      return blocks(
        `The reverse of ${id} would touch the lines or paths of a change that waits. Decide that one first, then write ${codeSpan(`/undo ${of}`)} again:`,
        listNamed([why.other]),
      );
    case 'refused':
      return `${cut(why.message)} ${OTHERWISE}`;
    case 'not-posted':
      return `The undo of ${id} could not be posted (${cut(why.message)}), so it was withdrawn. ${codeSpan(`/undo ${of}`)} tries it again.`;
  }
}

const OTHERWISE = `Nothing was proposed. Say what should be done instead with ${codeSpan('/countersign <task>')}.`;

function cut(text: string): string {
  return escapeText([...text].slice(0, MESSAGE_CAP).join(''));
}

/** An `/undo` that comes to no proposal. */
export function notUndone({ of, why }: Extract<Answer, { kind: 'not-undone' }>): string {
  return whyNot(of, why);
}

/** What an undo is, in its own comment; empty for every other proposal. */
export function undoLine({ origin, change }: Proposal): string {
  if (origin.kind !== 'undo') return '';
  const mode = change.base === null && change.result?.mode === '100755' ? ' The file will be executable again.' : '';
  return `This is the exact reverse of ${codeSpan(origin.of)}, which ${loginText(origin.by)} asked for. The agent did not propose it.${mode}`;
}
