import { bench, run } from 'mitata'
import { find, unique } from './src/words.js'

const words = Array.from({ length: 2000 }, (_, i) => `word${i}`)
const index = new Map(words.map((word, i) => [word, i]))

bench('unique', () => unique(words))
bench('find', () => find(index, 'word1999'))

await run({ format: 'json' })
