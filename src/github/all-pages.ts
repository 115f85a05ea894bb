/** One page of a list, as REST answers it. */
type Page<Item> = {
  readonly data: readonly Item[];
  readonly headers: { readonly link?: string | undefined };
};

export const PAGE_SIZE = 100;

/**
 * The whole list, or an error; `fetchPage` gets numbers from 1. `enough` may end it early.
 * Octokit's own pagination is not used: it takes a 409 for the end of the list.
 */
export async function allPages<Item>(
  fetchPage: (page: number) => Promise<Page<Item>>,
  enough: (items: readonly Item[]) => boolean = () => false,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page += 1) {
    const { data, headers } = await fetchPage(page);
    items.push(...data);
    if (!/;\s*rel="next"/.test(headers.link ?? '') || enough(items)) return items;
  }
}
