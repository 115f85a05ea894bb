import { buildDelete, type DeleteInput } from '../change/build-delete.ts';
import { type Built, buildEdit, type EditInput } from '../change/build-edit.ts';
import { buildMove, type MoveInput } from '../change/build-move.ts';
import { buildWrite, type WriteInput } from '../change/build-write.ts';
import type { Region } from '../change/change.ts';
import { type OwnText, type OwnTextInput, ownText } from '../change/own-text.ts';
import { diffOf } from '../change/payload.ts';
import { type Sought, standsAfter } from '../policy/batch-conflict.ts';
import type { FileAtHead, Judgeable } from '../policy/freshness.ts';
import {
  type FileJudging,
  judgeFile,
  judgePush,
  type Push,
  type PushJudged,
  readsText,
  type Stands,
} from '../policy/judge-push.ts';
import type { RenderedProposal } from '../render/proposal.ts';
import { countParts } from '../render/proposal-parts.ts';
import type { ProposalView } from '../render/proposal-view.ts';
import { renderStanding } from '../render/standing.ts';
import type { Proposal } from '../run/proposal.ts';
import { type Reverse, reverseOf, type Undoing } from '../run/reverse.ts';
import { type ParsedCall, parseCall, type WrittenCall } from '../tools/parse-call.ts';
import { type ReadInput, readResult } from '../tools/read-result.ts';
import { type Answering, answerPages } from './answer-pages.ts';
import { type Drafting, type Page, type Placing, pageAt, pageOf } from './draft-page.ts';

/** What takes long on large input: each is pure, and what it takes and gives is plain data that can be copied. */
type Works = {
  readonly parseCall: Work<WrittenCall, ParsedCall>;
  readonly readResult: Work<ReadInput, string>;
  readonly buildEdit: Work<EditInput, Built>;
  readonly buildWrite: Work<WriteInput, Built>;
  readonly buildDelete: Work<DeleteInput, Built>;
  readonly buildMove: Work<MoveInput, Built>;
  readonly standsAfter: Work<Sought, boolean>;
  readonly judgePush: Work<Push, PushJudged>;
  readonly judgeFile: Work<FileJudging, readonly Stands[]>;
  readonly reverseOf: Work<Undoing, Reverse>;
  readonly ownText: Work<OwnTextInput, OwnText>;
  readonly pageOf: Work<Drafting, Page | null>;
  readonly pageAt: Work<Placing, Page | null>;
  readonly countParts: Work<Proposal, number>;
  readonly renderStanding: Work<ProposalView, RenderedProposal>;
  readonly answerPages: Work<Answering, readonly string[]>;
};
export type WorkName = keyof Works;
type Work<Input, Output> = { readonly input: Input; readonly output: Output };
export type Input<Name extends WorkName> = Works[Name]['input'];
export type Output<Name extends WorkName> = Works[Name]['output'];

/** `weigh` tells how much there is to read, in letters or bytes. */
type Way<Name extends WorkName> = {
  readonly act: (input: Input<Name>) => Output<Name>;
  readonly weigh: (input: Input<Name>) => number;
};

const WAYS: { readonly [Name in WorkName]: Way<Name> } = {
  parseCall: { act: parseCall, weigh: (call) => call.arguments.length },
  readResult: { act: readResult, weigh: ({ bytes }) => bytes.length },
  buildEdit: {
    act: buildEdit,
    weigh: ({ file, oldString, newString }) => file.bytes.length + oldString.length + newString.length,
  },
  buildWrite: { act: buildWrite, weigh: ({ file, content }) => (file?.bytes.length ?? 0) + content.length },
  buildDelete: { act: buildDelete, weigh: ({ file }) => file.bytes.length },
  buildMove: { act: buildMove, weigh: ({ file }) => file.bytes.length },
  standsAfter: { act: standsAfter, weigh: ({ bytes, sought }) => bytes.length + sought.length },
  judgePush: { act: judgePush, weigh: ({ before, now, waiting }) => textOf(before) + readFor(waiting, now) },
  judgeFile: { act: judgeFile, weigh: ({ file, waiting }) => readFor(waiting, file) },
  reverseOf: {
    act: reverseOf,
    weigh: ({ change, seen }) => {
      const then = seen.atCommit === 'gone' ? null : seen.atCommit;
      return textOf(then) + textOf(seen.atHead) + linesIn(change.region);
    },
  },
  ownText: {
    act: ownText,
    weigh: ({ change, baseText, lines }) => (baseText?.length ?? 0) + linesIn(change.region) + lettersOf(lines),
  },
  pageOf: { act: pageOf, weigh: ({ proposal, ground }) => ground.baseText.length + shownOf(proposal) },
  pageAt: { act: pageAt, weigh: ({ proposal, ground }) => ground.baseText.length + shownOf(proposal) },
  countParts: { act: countParts, weigh: shownOf },
  renderStanding: { act: renderStanding, weigh: ({ proposal }) => shownOf(proposal) },
  answerPages: { act: answerPages, weigh: ({ answer }) => (answer.kind === 'shown' ? (answer.diff?.length ?? 0) : 0) },
};

function textOf(file: FileAtHead | null): number {
  return file?.text?.length ?? 0;
}

/** The file counts for each change that it is read for. */
function readFor(waiting: readonly { readonly change: Judgeable }[], file: FileAtHead | null): number {
  const reading = waiting.filter(({ change }) => readsText(change, file));
  return reading.reduce((sum, { change }) => sum + textOf(file) + linesIn(change.region), 0);
}

function linesIn(region: Region | null): number {
  return region === null ? 0 : lettersOf(region.old) + lettersOf(region.new);
}

function lettersOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

/** Letters of the diff, which holds every line of a region too. */
function shownOf({ change }: Proposal): number {
  return diffOf(change.payload)?.length ?? 0;
}

/**
 * Works something out, here or elsewhere: whoever asks waits, and meanwhile the process may do other things. Throws what
 * the work itself throws, and `WorkGivenUp`.
 */
export type WorkOut = <Name extends WorkName>(name: Name, input: Input<Name>) => Promise<Output<Name>>;

/** Works it out at once. */
export function workedOut<Name extends WorkName>(name: Name, input: Input<Name>): Output<Name> {
  return WAYS[name].act(input);
}

/** Works everything out in this thread: for a process that answers nobody meanwhile. */
export const workOutHere: WorkOut = async (name, input) => workedOut(name, input);

/** Letters and bytes from which on something is large: hostile calls of twice as many took 32 ms at most on busy cores. */
const LARGE = 32_000;

/** Whether it may take so long that it should not be done where others wait. */
export function isLarge<Name extends WorkName>(name: Name, input: Input<Name>): boolean {
  return WAYS[name].weigh(input) >= LARGE;
}

/** Something took far longer, or more memory, than anything that is meant; nothing came of it. */
export class WorkGivenUp extends Error {
  readonly why: 'time' | 'crash';
  constructor(why: WorkGivenUp['why'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WorkGivenUp';
    this.why = why;
  }
}
