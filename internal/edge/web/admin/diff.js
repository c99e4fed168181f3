// What differs between two versions of something, in words, and how to put the differences of one
// onto another.

const plain = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** What the parts of a list are told apart by; null for a list of words and numbers. */
function keyed(list) {
  if (list.length === 0 || !list.every(plain)) return null;
  for (const name of ['id', 'type', 'name', 'url']) {
    const keys = list.map((part) => part[name]);
    if (keys.every((key) => typeof key === 'string' && key) && new Set(keys).size === keys.length) return name;
  }
  return null;
}

const nothing = (value) => value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  || (plain(value) && Object.values(value).every(nothing));

/** Lists {path, from, to} for everything that differs from a to b. What is empty is as what is not there. */
export function differences(a, b, path = []) {
  if (a === b || (nothing(a) && nothing(b))) return [];
  if (plain(a ?? {}) && plain(b ?? {}) && (plain(a) || plain(b))) {
    const names = [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])];
    return names.flatMap((name) => differences(a?.[name], b?.[name], [...path, name]));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    const by = keyed([...a, ...b].length ? a.length ? a : b : []);
    if (by && by === keyed(b.length ? b : a) && sameOrder(a, b, by)) {
      const keys = [...new Set([...a, ...b].map((part) => part[by]))];
      return keys.flatMap((key) => {
        const [x, y] = [a, b].map((list) => list.find((part) => part[by] === key));
        return x && y ? differences(x, y, [...path, `${by}=${key}`]) : [{ path: [...path, `${by}=${key}`], from: x, to: y }];
      });
    }
    if (JSON.stringify(a) === JSON.stringify(b)) return [];
  }
  return [{ path, from: a, to: b }];
}

/** Whether those that are in both stand in the same order, so that the list is not to be taken as a whole. */
function sameOrder(a, b, by) {
  const both = (list, other) => list.map((part) => part[by]).filter((key) => other.some((part) => part[by] === key)).join('\n');
  return both(a, b) === both(b, a);
}

/** Puts differences onto a copy of something. */
export function apply(target, changes) {
  const copy = structuredClone(target);
  for (const { path, to } of changes) place(copy, path, to);
  return copy;
}

function place(node, [step, ...rest], value) {
  const part = /^(id|type|name|url)=(.*)$/s.exec(step);
  if (Array.isArray(node) && part) {
    const i = node.findIndex((item) => item[part[1]] === part[2]);
    if (rest.length > 0) {
      if (i >= 0) place(node[i], rest, value);
    } else if (value === undefined) {
      if (i >= 0) node.splice(i, 1);
    } else if (i >= 0) node[i] = structuredClone(value);
    else node.push(structuredClone(value));
    return;
  }
  if (rest.length === 0) {
    if (value === undefined) delete node[step];
    else node[step] = structuredClone(value);
    return;
  }
  if (node[step] === undefined || node[step] === null) node[step] = /^(id|type|name|url)=/.test(rest[0]) ? [] : {};
  place(node[step], rest, value);
}

/** Whether two differences are about the same thing, or one of them about a part of the other. */
export function clash(a, b) {
  const short = Math.min(a.path.length, b.path.length);
  return a.path.slice(0, short).join('\n') === b.path.slice(0, short).join('\n');
}
