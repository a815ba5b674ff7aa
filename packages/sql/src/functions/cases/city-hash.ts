import type { Cases } from './case.ts';

const signed = (hash: bigint): string => String(BigInt.asIntN(64, hash));

/** Known hashes of version 1.0.2, at least one for each branch by input length. */
const KNOWN: readonly (readonly [text: string, hash: bigint])[] = [
  ['', 11160318154034397263n],
  ['1', 11413460447292444913n],
  ['12', 12074748272894662792n],
  ['abc', 4220206313085259313n],
  ['1234', 11914632649014994877n],
  ['Moscow', 12507901496292878638n],
  ['12345678', 7177601938557627951n],
  ['123456789', 12390271160407166709n],
  ['1234567890abcdef', 10283158570132023530n],
  ['4RNfAbDSysH78xK5s', 16686325262955297357n],
  ['1234567890abcdefghijklmnopqrstuvwxyz', 6062807976406716385n],
  ['How can you write a big system without C++?  -Paul Glick', 6237945311650045625n],
  ['7zxsqkZNsEoNfRz83hct4HH5ytE3SFvx0MX9ACbDDBZhtUcR30pGvmJIPAoXwJCq', 12341453991847893643n],
  ['DSDXf2J5gvPZWtzo4qdrdbXw6qGKkVuzrV7zEZA3x6xNnGdQdSTr7YocaJWpgDgzq', 12363235829494951337n],
  ['DMqhuXQxgAmJ9EOkT1n2lpzu7YD6zKc6ESSDWfJfohaQDwu0ba61bfGMiuS5GXpr0bIVcCtLwRtIVGmK', 12512298373611890505n],
];

export const CITY_HASH_CASES: Cases = {
  city_hash: [
    ...KNOWN.map(([text, hash]) => [`city_hash('${text}')`, signed(hash)] as const),
    ["city_hash(repeat('0123456789', 13))", '-7842450618668119562'],
    ["city_hash('abc'::bytea) = city_hash('abc')", 'true'],
    ["city_hash(NULL, '08-25-2016')", null],
    ["city_hash('a', NULL)", null],
    ["city_hash('a', 'b') <> city_hash('b', 'a')", 'true'],
    ['city_hash(12) = city_hash(12)', 'true'],
    ["SELECT count(DISTINCT city_hash(repeat('ż' || x, x % 90))) > 900 FROM range(1000) t(x)", 'true'],
  ],
};
