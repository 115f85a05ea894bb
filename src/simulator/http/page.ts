const DEFAULT_SIZE = 30;
const LARGEST_SIZE = 100;

/** One page of a list, and the `link` header when there are others. */
export type Page<Item> = { readonly items: readonly Item[]; readonly link: string | undefined };

/**
 * Cuts the page that `per_page` and `page` ask for; sizes above 100 count as 100.
 * `address` is the absolute URL without query; the links keep the other parameters.
 */
export function cutPage<Item>(
  items: readonly Item[],
  query: Readonly<Record<string, string>>,
  address: string,
): Page<Item> {
  const size = Math.min(positive(query['per_page'], DEFAULT_SIZE), LARGEST_SIZE);
  const page = positive(query['page'], 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const targets: readonly (readonly [string, number])[] = [
    ...(page > 1 ? ([['prev', page - 1]] as const) : []),
    ...(page < last
      ? ([
          ['next', page + 1],
          ['last', last],
        ] as const)
      : []),
    ...(page > 1 ? ([['first', 1]] as const) : []),
  ];
  const links = targets.map(([relation, number]) => {
    const search = new URLSearchParams({ ...query, page: String(number) });
    return `<${address}?${search}>; rel="${relation}"`;
  });
  const link = links.length === 0 ? undefined : links.join(', ');
  return { items: items.slice((page - 1) * size, page * size), link };
}

function positive(text: string | undefined, otherwise: number): number {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : otherwise;
}
