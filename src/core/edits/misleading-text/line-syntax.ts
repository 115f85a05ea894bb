import { lexicalRulesOf } from './lexical-rules.ts';
import { type Decide, type SyntaxSpan, scanLine } from './line-scan.ts';

/** Of four unsure quotes. A line with more readings is code behind the first such quote. */
const MAX_READINGS = 16;

/**
 * Splits a line by the syntax of its file. Where a quote can be read in two ways, only what is text in every reading is
 * text, so that more is reported. Takes linear time.
 */
export function splitLine(line: string, path: string): readonly SyntaxSpan[] {
  const language = lexicalRulesOf(path);
  if (language === 'prose') return [{ kind: 'text', text: line }];
  const [first = [], ...others] = readAll(line, (decide) => scanLine(line, language, decide));
  return others.length === 0 ? first : commonSpans(line, first, others);
}

/** The readings of a line, one for each way to decide on its unsure quotes. */
function readAll(line: string, scan: (decide: Decide) => readonly SyntaxSpan[]): readonly (readonly SyntaxSpan[])[] {
  const readings: (readonly SyntaxSpan[])[] = [];
  const waiting: (readonly boolean[])[] = [[]];
  let firstUnsure = line.length;
  let isComplete = true;
  for (let given = waiting.pop(); given !== undefined; given = waiting.pop()) {
    const taken: boolean[] = [];
    let count = 0;
    const decide: Decide = (at) => {
      const choice = given[count] ?? false;
      firstUnsure = Math.min(firstUnsure, at);
      count += 1;
      if (count <= MAX_READINGS) taken.push(choice);
      return choice;
    };
    readings.push(scan(decide));
    for (let at = given.length; at < count; at += 1) {
      isComplete = readings.length + waiting.length < MAX_READINGS;
      if (!isComplete) break;
      waiting.push([...taken.slice(0, at), true]);
    }
    if (!isComplete) break;
  }
  return isComplete ? readings : [...readings.slice(0, 1), codeFrom(line, firstUnsure)];
}

/** A reading in which all is text that can be, up to an offset. */
function codeFrom(line: string, offset: number): readonly SyntaxSpan[] {
  return [
    { kind: 'text', text: line.slice(0, offset) },
    { kind: 'code', text: line.slice(offset) },
  ];
}

/** The spans of the first reading, with the parts as code that are code in another one. */
function commonSpans(
  line: string,
  first: readonly SyntaxSpan[],
  others: readonly (readonly SyntaxSpan[])[],
): readonly SyntaxSpan[] {
  const isCode = new Uint8Array(line.length);
  for (const spans of others)
    forEachSpan(spans, ({ kind }, start, end) => kind === 'code' && isCode.fill(1, start, end));
  const common: SyntaxSpan[] = [];
  const add = (span: SyntaxSpan): void => {
    const last = common.at(-1);
    if (last?.kind === 'code' && span.kind === 'code')
      common[common.length - 1] = { kind: 'code', text: last.text + span.text };
    else common.push(span);
  };
  forEachSpan(first, (span, start, end) => {
    if (span.kind === 'code') add(span);
    else
      for (let [from, to] = [start, start]; from < end; from = to) {
        const flag = isCode[from];
        while (to < end && isCode[to] === flag) to += 1;
        const text = line.slice(from, to);
        add(flag === 1 ? { kind: 'code', text } : { ...span, text });
      }
  });
  return common;
}

function forEachSpan(spans: readonly SyntaxSpan[], use: (span: SyntaxSpan, start: number, end: number) => void): void {
  let start = 0;
  for (const span of spans) {
    const end = start + span.text.length;
    use(span, start, end);
    start = end;
  }
}
