const words = (text: string): readonly string[] => text.trim().split(/\s*,\s*/);

export const ADJECTIVES = words(
  'able, ancient, annual, available, basic, big, bright, broad, careful, central, cheap, clear, close, cold, common, complete, correct, critical, current, daily, dark, deep, direct, early, eastern, effective, equal, exact, fair, famous, final, firm, foreign, formal, free, fresh, full, general, good, great, green, happy, heavy, high, human, important, industrial, large, late, legal, light, likely, little, local, long, low, main, major, modern, national, natural, new, old, open, ordinary, particular, poor, popular, private, proper, public, quick, quiet, ready, recent, regular, rich, royal, short, simple, small, social, soft, special, strong, sudden, useful, usual, vital, warm, wide, young',
);
export const NOUNS = words(
  'accounts, actions, answers, areas, arguments, authorities, banks, bodies, books, branches, buildings, cases, centres, changes, children, cities, classes, colleges, companies, conditions, costs, countries, courses, customers, days, demands, details, doors, effects, efforts, events, eyes, facts, families, fields, figures, forces, forms, friends, games, girls, goods, governments, groups, hands, homes, hours, houses, ideas, interests, islands, issues, kinds, lands, laws, letters, lines, lives, markets, matters, meetings, members, methods, minutes, models, months, names, notes, offices, orders, others, pages, papers, parents, parties, patterns, people, periods, places, plans, policies, powers, prices, problems, products, programmes, questions, reports, results, rights, roads, rooms, rules, sales, schools, sections, services, shops, sides, sources, standards, stories, streets, students, systems, tables, teachers, terms, things, towns, units, values, views, weeks, women, words, workers, years',
);
export const VERBS = words(
  'accept, achieve, act, add, agree, allow, answer, appear, apply, argue, arrive, ask, avoid, become, begin, believe, break, bring, build, buy, call, carry, change, choose, come, consider, contain, cost, cover, create, cut, decide, describe, develop, drive, eat, end, enjoy, expect, explain, fall, feel, find, follow, form, get, give, go, grow, happen, help, hold, hope, improve, include, join, keep, know, learn, leave, live, look, lose, make, meet, move, need, obtain, offer, open, pay, play, prepare, produce, protect, provide, raise, reach, read, receive, reduce, remain, require, run, save, see, sell, send, serve, show, speak, stand, stay, stop, suggest, support, take, teach, tell, think, travel, try, turn, understand, use, wait, walk, want, win, work, write',
);
export const ADVERBS = words(
  'actually, again, almost, already, also, always, certainly, clearly, currently, easily, especially, finally, fully, generally, hardly, here, highly, just, largely, merely, more, much, nearly, never, now, often, only, partly, perhaps, quickly, quite, rather, really, simply, soon, still, then, there, today, together, usually, very, well, widely, yet',
);
export const MODALS = words(
  'can, could, may, might, must, shall, should, used to, will, would, ought to, can not, may not',
);

export const MALE_NAMES = words(
  'James, John, Robert, Michael, William, David, Richard, Charles, Joseph, Thomas, Christopher, Daniel, Paul, Mark, Donald, George, Kenneth, Steven, Edward, Brian, Ronald, Anthony, Kevin, Jason, Matthew, Gary, Timothy, Jose, Larry, Jeffrey, Frank, Scott, Eric, Stephen, Andrew, Raymond, Gregory, Joshua, Jerry, Dennis, Walter, Patrick, Peter, Harold, Douglas, Henry, Carl, Arthur, Ryan, Roger, Joe, Juan, Jack, Albert, Jonathan, Justin, Terry, Gerald, Keith, Samuel, Willie, Ralph, Lawrence, Nicholas, Roy, Benjamin, Bruce, Brandon, Adam, Harry, Fred, Wayne, Billy, Steve, Louis, Jeremy, Aaron, Randy, Howard, Eugene, Carlos, Russell, Bobby, Victor, Martin, Ernest, Phillip, Todd, Jesse, Craig, Alan, Shawn, Clarence, Sean, Philip, Chris, Johnny, Earl, Jimmy, Antonio',
);
export const FEMALE_NAMES = words(
  'Mary, Patricia, Linda, Barbara, Elizabeth, Jennifer, Maria, Susan, Margaret, Dorothy, Lisa, Nancy, Karen, Betty, Helen, Sandra, Donna, Carol, Ruth, Sharon, Michelle, Laura, Sarah, Kimberly, Deborah, Jessica, Shirley, Cynthia, Angela, Melissa, Brenda, Amy, Anna, Rebecca, Virginia, Kathleen, Pamela, Martha, Debra, Amanda, Stephanie, Carolyn, Christine, Marie, Janet, Catherine, Frances, Ann, Joyce, Diane, Alice, Julie, Heather, Teresa, Doris, Gloria, Evelyn, Jean, Cheryl, Mildred, Katherine, Joan, Ashley, Judith, Rose, Janice, Kelly, Nicole, Judy, Christina, Kathy, Theresa, Beverly, Denise, Tammy, Irene, Jane, Lori, Rachel, Marilyn, Andrea, Kathryn, Louise, Sara, Anne, Jacqueline, Wanda, Bonnie, Julia, Ruby, Lois, Tina, Phyllis, Norma, Paula, Diana, Annie, Lillian, Emily, Robin',
);
export const LAST_NAMES = words(
  'Smith, Johnson, Williams, Jones, Brown, Davis, Miller, Wilson, Moore, Taylor, Anderson, Thomas, Jackson, White, Harris, Martin, Thompson, Garcia, Martinez, Robinson, Clark, Rodriguez, Lewis, Lee, Walker, Hall, Allen, Young, Hernandez, King, Wright, Lopez, Hill, Scott, Green, Adams, Baker, Gonzalez, Nelson, Carter, Mitchell, Perez, Roberts, Turner, Phillips, Campbell, Parker, Evans, Edwards, Collins, Stewart, Sanchez, Morris, Rogers, Reed, Cook, Morgan, Bell, Murphy, Bailey, Rivera, Cooper, Richardson, Cox, Howard, Ward, Torres, Peterson, Gray, Ramirez, James, Watson, Brooks, Kelly, Sanders, Price, Bennett, Wood, Barnes, Ross, Henderson, Coleman, Jenkins, Perry, Powell, Long, Patterson, Hughes, Flores, Washington, Butler, Simmons, Foster, Gonzales, Bryant, Alexander, Russell, Griffin, Diaz, Hayes, Myers, Ford, Hamilton, Graham, Sullivan, Wallace, Woods, Cole, West, Jordan, Owens, Reynolds, Fisher, Ellis, Harrison, Gibson, Mcdonald, Cruz, Marshall, Ortiz, Gomez, Murray, Freeman, Wells, Webb, Simpson, Stevens, Tucker, Porter, Hunter, Hicks, Crawford, Henry, Boyd, Mason, Morales, Kennedy, Warren, Dixon, Ramos, Reyes, Burns, Gordon, Shaw, Holmes, Rice, Robertson, Hunt, Black, Daniels, Palmer, Mills, Nichols, Grant, Knight, Ferguson, Rose, Stone, Hawkins, Dunn, Perkins, Hudson, Spencer, Gardner, Stephens, Payne, Pierce, Berry, Matthews, Arnold, Wagner, Willis, Ray, Watkins, Olson, Carroll, Duncan, Snyder, Hart, Cunningham, Bradley, Lane, Andrews, Ruiz, Harper, Fox, Riley, Armstrong, Carpenter, Weaver, Greene, Lawrence, Elliott, Chavez, Sims, Austin, Peters, Kelley, Franklin, Lawson',
);
export const COUNTRIES = words(
  'AFGHANISTAN, ALBANIA, ALGERIA, ANDORRA, ANGOLA, ARGENTINA, ARMENIA, ARUBA, AUSTRALIA, AUSTRIA, AZERBAIJAN, BAHAMAS, BAHRAIN, BANGLADESH, BARBADOS, BELARUS, BELGIUM, BELIZE, BENIN, BERMUDA, BHUTAN, BOTSWANA, BRAZIL, BULGARIA, BURUNDI, CAMBODIA, CAMEROON, CANADA, CAPE VERDE, CHAD, CHILE, CHINA, COMOROS, COSTA RICA, CROATIA, CUBA, CYPRUS, CZECH REPUBLIC, DENMARK, DJIBOUTI, DOMINICA, ECUADOR, EGYPT, EL SALVADOR, ERITREA, ESTONIA, ETHIOPIA, FIJI, FINLAND, FRANCE, GABON, GAMBIA, GEORGIA, GERMANY, GHANA, GIBRALTAR, GREECE, GREENLAND, GRENADA, GUAM, GUATEMALA, GUINEA, GUYANA, HAITI, HONDURAS, HONG KONG, HUNGARY, ICELAND, INDIA, INDONESIA, IRAQ, IRELAND, ISRAEL, ITALY, JAMAICA, JAPAN, JERSEY, JORDAN, KAZAKHSTAN, KENYA, KIRIBATI, KUWAIT, LATVIA, LEBANON, LESOTHO, LIBERIA, LIECHTENSTEIN, LITHUANIA, LUXEMBOURG, MACAO, MADAGASCAR, MALAWI, MALAYSIA, MALDIVES, MALI, MALTA, MARTINIQUE, MAURITANIA, MAURITIUS, MEXICO, MONACO, MONGOLIA, MOROCCO, MOZAMBIQUE, MYANMAR, NAMIBIA, NAURU, NEPAL, NETHERLANDS, NEW ZEALAND, NICARAGUA, NIGER, NIGERIA, NIUE, NORWAY, OMAN, PAKISTAN, PALAU, PANAMA, PARAGUAY, PERU, PHILIPPINES, POLAND, PORTUGAL, QATAR, ROMANIA, RUSSIAN FEDERATION, RWANDA, SAMOA, SAN MARINO, SENEGAL, SERBIA, SEYCHELLES, SINGAPORE, SLOVAKIA, SLOVENIA, SOLOMON ISLANDS, SOMALIA, SOUTH AFRICA, SPAIN, SRI LANKA, SURINAME, SWEDEN, SWITZERLAND, TAJIKISTAN, THAILAND, TIMOR-LESTE, TOGO, TOKELAU, TONGA, TUNISIA, TURKEY, TURKMENISTAN, TUVALU, UGANDA, UKRAINE, UNITED ARAB EMIRATES, UNITED KINGDOM, UNITED STATES, URUGUAY, UZBEKISTAN, VANUATU, VENEZUELA, VIET NAM, YEMEN, ZAMBIA, ZIMBABWE',
);
export const COLORS = words(
  'almond, antique, aquamarine, azure, beige, bisque, black, blanched, blue, blush, brown, burlywood, burnished, chartreuse, chiffon, chocolate, coral, cornflower, cornsilk, cream, cyan, dark, deep, dim, dodger, drab, firebrick, floral, forest, frosted, gainsboro, ghost, goldenrod, green, grey, honeydew, hot, indian, ivory, khaki, lace, lavender, lawn, lemon, light, lime, linen, magenta, maroon, medium, metallic, midnight, mint, misty, moccasin, navajo, navy, olive, orange, orchid, pale, papaya, peach, peru, pink, plum, powder, puff, purple, red, rose, rosy, royal, saddle, salmon, sandy, seashell, sienna, sky, slate, smoke, snow, spring, steel, tan, thistle, tomato, turquoise, violet, wheat, white, yellow',
);
export const UNITS = words(
  'Box, Bunch, Bundle, Carton, Case, Cup, Dozen, Dram, Each, Gram, Gross, Lb, N/A, Ounce, Oz, Pallet, Pound, Tbl, Ton, Tsp, Unknown',
);

/** The classes of each category. The first five categories have four classes each. */
export const CATEGORIES: readonly (readonly [name: string, classes: readonly string[]])[] = [
  ['Women', words('dresses, fragrances, maternity, swimwear')],
  ['Men', words('accessories, shirts, pants, sports-apparel')],
  ['Children', words('newborn, infants, toddlers, school-uniforms')],
  ['Shoes', words('womens, mens, kids, athletic')],
  ['Music', words('rock, country, pop, classical')],
  [
    'Jewelry',
    words(
      'birdal, diamonds, gold, bracelets, earings, rings, pendants, mens watch, womens watch, jewelry boxes, semi-precious, costume, loose stones, estate, custom, consignment',
    ),
  ],
  [
    'Home',
    words(
      'bathroom, bedding, kids, curtains/drapes, blinds/shades, rugs, decor, lighting, mattresses, flatware, accent, paint, wallpaper, glassware, tables, furniture',
    ),
  ],
  [
    'Sports',
    words(
      'athletic shoes, baseball, basketball, camping, fitness, football, hockey, outdoor, optics, pools, archery, golf, sailing, tennis, fishing, guns',
    ),
  ],
  [
    'Books',
    words(
      'arts, business, computers, entertainments, history, parenting, reference, romance, science, travel, cooking, home repair, self-help, sports, fiction, mystery',
    ),
  ],
  [
    'Electronics',
    words(
      'cameras, camcorders, dvd/vcr players, audio, karoke, musical, personal, scanners, televisions, memory, disk drives, monitors, stereo, automotive, portable, wireless',
    ),
  ],
];

export const REASONS = words(
  'Package was damaged, Stopped working, Did not get it on time, Not the product that was ordred, Parts missing, Does not work with a product that I have, Gift exchange, Did not like the color, Did not like the model, Did not like the make, Did not fit, Wrong size, Found a better price in a store, Found a better extended warranty in a store, No service location in my area, Lost my job, Unauthoized purchase, Duplicate purchase, Its is a boy, It is a girl, Arrived too late, Changed my mind, Bought two by mistake, Quality was poor, Instructions were missing, Not as described, Moved away',
);
