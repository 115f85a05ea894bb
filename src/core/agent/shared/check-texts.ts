import { stripVTControlCharacters } from 'node:util';
import { redact } from '../../../lib/credentials.ts';
import { firstOf, pluralize, shortSha } from '../../../lib/format.ts';
import { byteLength, escapeHiddenCharacters, stripHiddenAndCr } from '../../edits/text/characters.ts';
import {
  type Check,
  type CheckDetails,
  type CheckHistory,
  type CheckState,
  type Checks,
  namesOf,
} from '../../state/checks.ts';
import { cutText, materialLine } from './clean-text.ts';

/** Bytes of what the model gets of checks: a name, a text of an App, a log, and all that failed together. */
const LIMITS = { name: 100, text: 2_000, message: 500, log: 16_000, report: 24_000 } as const;

const MAX_ANNOTATIONS = 50;

const MAX_LOG_LINES = 200;

const MAX_LISTED = 100;

/** Failed checks whose annotations and logs the model gets unasked. */
export const MAX_REPORTED_CHECKS = 4;

const LOG_HEADING_BYTES = 40;

/** The line of the first message. Names are text of Apps, so each is a JSON string. */
export function checksLine({ listed }: Checks): string {
  const count = (state: CheckState): number => listed.filter((one) => one.state === state).length;
  const failed = namesOf(listed, 'failed').slice(0, MAX_LISTED).map(quoteName).join(', ');
  const blocked = count('blocked') === 0 ? '' : `, waiting for approval: ${count('blocked')}`;
  return `checks: {passed: ${count('passed')}, failed: [${failed}], running: ${count('running')}${blocked}}`;
}

function quoteName(name: string): string {
  return JSON.stringify(textOf(name, LIMITS.name));
}

/** Text of an App as the model gets it. */
function textOf(text: string, maxBytes: number): string {
  return cutText(redact(escapeHiddenCharacters(stripHiddenAndCr(text))), maxBytes);
}

/** The output of `read_checks` without a name. */
export function formatCheckList({ listed }: Checks, head: string, history: CheckHistory | null): string {
  if (listed.length === 0) return `Commit ${shortSha(head)} has no checks.`;
  return [
    materialLine(`The checks of commit ${shortSha(head)}; read_checks with a name shows more of one`),
    ...checkRows(listed, history),
  ].join('\n');
}

/** Failed ones first. */
function checkRows(listed: readonly Check[], history: CheckHistory | null): readonly string[] {
  const order: readonly CheckState[] = ['failed', 'blocked', 'running', 'passed'];
  const sorted = order.flatMap((state) => listed.filter((one) => one.state === state));
  return firstOf(sorted, MAX_LISTED, (check) => checkRow(check, history), 'and ');
}

function checkRow({ name, state, word, url }: Check, history: CheckHistory | null): string {
  const isOld = state === 'failed' && history?.failedBefore.includes(name) === true;
  return JSON.stringify({
    name: textOf(name, LIMITS.name),
    state: state === 'blocked' ? 'waiting for approval' : state,
    conclusion: state === 'running' ? undefined : word,
    failed_before: isOld ? true : undefined,
    url: url === null ? undefined : textOf(url, LIMITS.message),
  });
}

/** The output of `read_checks` for a name that no check has. */
export function unknownCheckOutput(name: string, { listed }: Checks): string {
  return [`No check has the name ${quoteName(name)}. There are:`, ...checkRows(listed, null)].join('\n');
}

/** The output of `read_checks` where GitHub does not show the App the checks. */
export const NO_CHECKS_OUTPUT = 'The checks of this repository cannot be read.';

/** One check, as its App described it, with the end of its log. */
export function formatCheck(check: Check, details: CheckDetails, maxBytes: number = LIMITS.report): string {
  const { title, summary, annotations, logEnd } = details;
  const described = JSON.stringify({
    title: title === null ? undefined : textOf(title, LIMITS.message),
    summary: summary === null ? undefined : textOf(summary, LIMITS.text),
  });
  const head = [
    materialLine(`What check ${quoteName(check.name)} says`),
    checkRow(check, null),
    ...(described === '{}' ? [] : [described]),
  ];
  const rows = fitting(annotations.slice(0, MAX_ANNOTATIONS).map(annotationRow), maxBytes / 2);
  const notes = rows.length === 0 ? [] : ['Its annotations:', ...rows];
  const left = Math.min(LIMITS.log, maxBytes - LOG_HEADING_BYTES - byteLength([...head, ...notes].join('\n')));
  return [...head, ...notes, ...logLines(logEnd, left)].join('\n');
}

function annotationRow({ path, line, message }: CheckDetails['annotations'][number]): string {
  return JSON.stringify({ path: textOf(path, LIMITS.message), line, message: textOf(message, LIMITS.message) });
}

/** The first rows that fit together. */
function fitting(rows: readonly string[], maxBytes: number): readonly string[] {
  let left = maxBytes;
  const end = rows.findIndex((row) => {
    left -= byteLength(row) + 1;
    return left < 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** Every line begins with a sign, so that none can pose as the end of the log. */
function logLines(logEnd: Uint8Array | null, maxBytes: number): readonly string[] {
  const lines = logEnd === null ? [] : readLogEnd(logEnd).map((line) => `| ${line}`);
  const shown = fitting(lines.slice(-MAX_LOG_LINES).toReversed(), maxBytes).toReversed();
  return shown.length === 0 ? [] : [`The last ${pluralize(shown.length, 'line')} of its log:`, ...shown];
}

/** GitHub begins each line of a log with its time. */
const TIMESTAMP = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?/;

/** The whole lines of a log that can begin within one. Secrets are looked for before a line is cut. */
function readLogEnd(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes).toString('utf8').replaceAll('\0', '');
  const plain = text
    .split(/\r\n|\n|\r/)
    .map((line) => stripVTControlCharacters(line).replace(TIMESTAMP, ''))
    .join('\n');
  const lines = redact(escapeHiddenCharacters(stripHiddenAndCr(plain))).split('\n');
  const whole = TIMESTAMP.test(text) || lines.length === 1 ? lines : lines.slice(1);
  return whole
    .map((line) => cutText(line, LIMITS.message))
    .filter((line, at, all) => line !== '' || at < all.length - 1);
}

/** For the model, once the checks of its commit are completed and some failed: what failed, and how. */
export function failedChecksMessage(
  commit: string,
  { listed }: Checks,
  history: CheckHistory,
  details: ReadonlyMap<Check, CheckDetails>,
): string {
  const failed = namesOf(listed, 'failed').length;
  const intro = [
    `The checks of the branch with your commit ${shortSha(commit)} are completed: ${failed} of ${listed.length} failed. Propose a fix of what this task broke, or answer why none is needed or possible.`,
    ...checkRows(
      listed.filter(({ state }) => state !== 'passed'),
      history,
    ),
  ].join('\n');
  const share = (LIMITS.report - byteLength(intro)) / Math.max(1, details.size) - 2;
  return [intro, ...[...details].map(([check, one]) => formatCheck(check, one, share))].join('\n');
}
