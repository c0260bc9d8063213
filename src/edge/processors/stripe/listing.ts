/** Every member of a list of Stripe's, page by page. Undefined for one of more than `most`: a part of it proves nothing. */
export async function wholeList(list: AsyncIterable<unknown>, most: number): Promise<unknown[] | undefined> {
  const members: unknown[] = [];
  for await (const member of list) {
    if (members.length === most) return undefined;
    members.push(member);
  }
  return members;
}
