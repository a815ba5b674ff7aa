/** Words of titles and search phrases, by script, as in pages of July 2013. */
const CYRILLIC =
  'купить недорого москва работа погода новости скачать бесплатно онлайн смотреть фильм сериал музыка форум отзывы цена магазин доставка квартира аренда продажа автомобиль запчасти ремонт дом дача мебель кухня рецепты одежда обувь платье свадьба ребенок детский игры знакомства гороскоп карта расписание поезд билет отдых турция египет отель санаторий клиника лечение диета фото видео вконтакте одноклассники банк кредит курс доллара вакансии резюме университет школа экзамен книга перевод словарь дизайн интерьер окна двери строительство кирпич сауна клуб ресторан кафе доска объявлений питер казань екатеринбург новосибирск самара омск каталог телефон смартфон ноутбук планшет'.split(
    ' ',
  );
const LATIN =
  'samsung galaxy iphone nokia windows driver download free online game music video torrent mp3 hd lyrics weather hotel booking forum wiki review price auto toyota nissan bmw audi ford mail login page home news sport football live score minecraft wot world tanks gta sims photoshop android apk skype opera chrome'.split(
    ' ',
  );
const TURKISH =
  'izle bedava oyunlar yemek tarifleri haberler hava durumu satılık ikinci el araba dizi türkçe dublaj şarkı sözleri'.split(
    ' ',
  );
const UKRAINIAN =
  'київ купити ціна погода новини робота оголошення львів харків одеса україна безкоштовно'.split(' ');
const CHINESE = '免费 下载 天气 新闻 游戏 视频 音乐 手机 旅游 酒店'.split(' ');

/** The scripts with their relative frequency out of 20. */
const SCRIPTS: readonly (readonly string[])[] = [
  ...Array.from({ length: 13 }, () => CYRILLIC),
  ...Array.from({ length: 4 }, () => LATIN),
  TURKISH,
  UKRAINIAN,
  CHINESE,
];

const SYLLABLES =
  'ba be bo da de do ka ko la le lo ma me mo na ne no pa po ra re ro sa se so ta te to va vi za ya an en or ir us'.split(
    ' ',
  );

/** A phrase that is determined by the number. */
export function phrase(number: number, words: number): string {
  const script = SCRIPTS[number % SCRIPTS.length]!;
  let rest = (number * 2654435761) % 4294967296;
  let text = '';
  for (let word = 0; word < words; word++) {
    rest = (rest * 69069 + number + 1) % 4294967296;
    text += `${word === 0 ? '' : ' '}${script[Math.floor(rest / 65536) % script.length]}`;
  }
  return text;
}

/** The name of a host without its domain. */
export function hostName(number: number): string {
  let rest = number + 1;
  let name = '';
  while (rest > 0 || name.length < 5) {
    name += SYLLABLES[(rest + name.length) % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return name;
}
