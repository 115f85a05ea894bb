import { findSecretRanges } from '../../../lib/credentials.ts';
import { createLineTable, type LineTable, lineIndexAt } from '../text/line-table.ts';
import {
  applyEdit,
  type EditedResult,
  type EditRequest,
  type EditResult,
  type LineSpan,
  spliceReplacements,
} from './apply-edit.ts';

/** The result of several edits, or the first one that cannot be made; `index` counts from 0. */
type EditsResult = EditedResult | { readonly kind: 'refused'; readonly index: number; readonly refusal: RefusedEdit };

/** An edit that cannot be made. Its lines are those of the text as the earlier edits leave it. */
export type RefusedEdit = Exclude<EditResult, { kind: 'edited' }>;

/** Makes edits in order, each in the text as the earlier ones leave it. A single edit is made as it always was. */
export function applyEdits(base: LineTable, edits: readonly EditRequest[]): EditsResult {
  const [first, ...rest] = edits;
  if (first === undefined) return { kind: 'refused', index: 0, refusal: { kind: 'no-change' } };
  const firstResult = applyEdit(base, first, findSecretRanges(base.text));
  if (firstResult.kind !== 'edited') return { kind: 'refused', index: 0, refusal: firstResult };
  if (rest.length === 0) return firstResult;
  let { spans, matches } = firstResult;
  let current = rewrite(base.text, spans);
  for (const [offset, edit] of rest.entries()) {
    const index = offset + 1;
    const result = applyEdit(createLineTable(current), edit, findSecretRanges(current));
    if (result.kind !== 'edited') return { kind: 'refused', index, refusal: result };
    const next = rewrite(current, result.spans);
    spans = composeSpans(current, spans, result.spans);
    matches += result.matches;
    current = next;
  }
  const changed = spans.filter(({ start, end, text }) => base.text.slice(start, end) !== text);
  return changed.length === 0
    ? { kind: 'refused', index: edits.length - 1, refusal: { kind: 'no-change' } }
    : toEditedResult(base, changed, matches);
}

function toEditedResult(base: LineTable, spans: readonly LineSpan[], matches: number): EditedResult {
  const [first, last] = [spans[0], spans.at(-1)];
  const [start, end] = [first?.start ?? 0, last?.end ?? 0];
  const firstLine = lineIndexAt(base, start) + 1;
  return {
    kind: 'edited',
    combinedSpan: spliceReplacements(base.text, start, end, spans),
    matches,
    firstLine,
    lastLine: Math.max(firstLine, lineIndexAt(base, first?.end ?? 0)),
    spans,
    // The text of a later edit can occur elsewhere in the file as it was.
    isOnlyMatch: false,
  };
}

function rewrite(text: string, spans: readonly LineSpan[]): string {
  return spliceReplacements(text, 0, text.length, spans).text;
}

/**
 * A span in a text that earlier spans have changed: where it is now, and the spans of both kinds that it is made of.
 */
type SpanGroup = {
  readonly start: number;
  end: number;
  /** By how much the earlier spans of the group made the text longer. */
  growth: number;
  readonly later: LineSpan[];
};

/**
 * The spans from the original text to the one after both steps. `earlier` has offsets of the original text and `later`
 * those of `current`, the text between the steps. Spans that touch become one.
 */
function composeSpans(current: string, earlier: readonly LineSpan[], later: readonly LineSpan[]): LineSpan[] {
  const groups: SpanGroup[] = [];
  for (const { start, end, growth, span } of spansInOrder(earlier, later)) {
    const last = groups.at(-1);
    const group = last !== undefined && start <= last.end ? last : { start, end, growth: 0, later: [] };
    if (group !== last) groups.push(group);
    group.end = Math.max(group.end, end);
    group.growth += growth;
    if (span !== null) group.later.push(span);
  }
  let shift = 0;
  return groups.map((group) => {
    const start = group.start - shift;
    shift += group.growth;
    return {
      start,
      end: group.end - shift,
      text: spliceReplacements(current, group.start, group.end, group.later).text,
    };
  });
}

/** A span at its place in the text between the steps; `span` is null for an earlier one, which is already in it. */
type PlacedSpan = {
  readonly start: number;
  readonly end: number;
  readonly growth: number;
  readonly span: LineSpan | null;
};

function spansInOrder(earlier: readonly LineSpan[], later: readonly LineSpan[]): PlacedSpan[] {
  let shift = 0;
  const placed = earlier.map(({ start, end, text }): PlacedSpan => {
    const growth = text.length - (end - start);
    const from = start + shift;
    shift += growth;
    return { start: from, end: from + text.length, growth, span: null };
  });
  const added = later.map((span): PlacedSpan => ({ start: span.start, end: span.end, growth: 0, span }));
  return [...placed, ...added].toSorted((left, right) => left.start - right.start || left.end - right.end);
}
