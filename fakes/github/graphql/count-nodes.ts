import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { parseDocument, type Values } from './parser.ts';

/** The nodes that a GraphQL request asks for at most, as GitHub counts them; 0 for an invalid one. */
export function countRequestedNodes(body: Uint8Array): number {
  const sent = parseJson(Buffer.from(body).toString('utf8'));
  if (!isRecord(sent) || typeof sent['query'] !== 'string') return 0;
  const parsed = parseDocument(sent['query']);
  const variables = isRecord(sent['variables']) ? sent['variables'] : {};
  return parsed.ok ? countIn(parsed.operation.selectionSet, 1, { document: parsed.document, variables }) : 0;
}

type Request = { readonly document: DocumentNode; readonly variables: Values };

/** `parents` is the number of objects that have these selections. */
function countIn({ selections }: SelectionSetNode, parents: number, request: Request): number {
  const counts = selections.map((selection): number => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return countIn(selection.selectionSet, parents, request);
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const { name } = selection;
      const fragment = request.document.definitions.find(
        (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name.value,
      );
      return fragment?.kind === Kind.FRAGMENT_DEFINITION ? countIn(fragment.selectionSet, parents, request) : 0;
    }
    const size = pageSizeOf(selection, request.variables);
    const nodes = parents * (size ?? 1);
    const below = selection.selectionSet === undefined ? 0 : countIn(selection.selectionSet, nodes, request);
    return (size === null ? 0 : nodes) + below;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The page size of a connection; null for any other field. */
function pageSizeOf({ arguments: given = [] }: FieldNode, variables: Values): number | null {
  const value = given.find(({ name }) => name.value === 'first' || name.value === 'last')?.value;
  if (value?.kind === Kind.INT) return Number(value.value);
  const named = value?.kind === Kind.VARIABLE ? variables[value.name.value] : undefined;
  return typeof named === 'number' ? named : null;
}
