import { type GraphqlObject, GraphqlRequestError, type GraphqlValue } from './execute.ts';
import type { Values } from './parser.ts';

const MAX_CONNECTION_PAGE = 100;

/** One page of a list. Its size is required, as on GitHub. */
export function createConnection(
  typeName: string,
  field: string,
  args: Values,
  nodes: readonly GraphqlObject[],
): GraphqlValue {
  const [first, last] = [args['first'], args['last']];
  if (typeof last === 'number' && first === undefined) return createLastPage(typeName, field, last, nodes);
  if (typeof first !== 'number') {
    const message = `You must provide a \`first\` or \`last\` value to properly paginate the \`${field}\` connection.`;
    throw new GraphqlRequestError('MISSING_PAGINATION_BOUNDARIES', message);
  }
  requirePageSize(field, 'first', first);
  const after = typeof args['after'] === 'string' ? Number(Buffer.from(args['after'], 'base64').toString()) : 0;
  const end = after + first;
  const cursor = Buffer.from(String(Math.min(end, nodes.length))).toString('base64');
  const pageInfo: GraphqlObject = {
    typeName: 'PageInfo',
    fields: { hasNextPage: end < nodes.length, endCursor: nodes.length === 0 ? null : cursor },
  };
  return { typeName, fields: { nodes: nodes.slice(after, end), pageInfo, totalCount: nodes.length } };
}

/** The last nodes, in order. */
function createLastPage(typeName: string, field: string, last: number, nodes: readonly GraphqlObject[]): GraphqlValue {
  requirePageSize(field, 'last', last);
  const pageInfo: GraphqlObject = { typeName: 'PageInfo', fields: { hasNextPage: false, endCursor: null } };
  return { typeName, fields: { nodes: nodes.slice(-last), pageInfo, totalCount: nodes.length } };
}

function requirePageSize(field: string, argument: 'first' | 'last', size: number): void {
  if (size >= 1 && size <= MAX_CONNECTION_PAGE) return;
  const message = `Requesting ${size} records on the \`${field}\` connection exceeds the \`${argument}\` limit of ${MAX_CONNECTION_PAGE} records.`;
  throw new GraphqlRequestError('EXCESSIVE_PAGINATION', message);
}
