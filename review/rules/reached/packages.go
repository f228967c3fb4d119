// This file finds packages with names that imitate popular packages.

package reached

import (
	"slices"
	"strings"
)

// popular contains the packages that many programs install, by package manager. They are the most
// downloaded packages of https://hugovk.dev/top-pypi-packages and of
// https://github.com/LeoDog896/npm-rank. Short names are omitted, because other names resemble them
// by chance.
var popular = map[string][]string{
	"pip": strings.Fields(`requests numpy pandas urllib3 setuptools certifi charset-normalizer cryptography pyyaml python-dateutil packaging typing-extensions boto3 botocore s3transfer click jinja2 markupsafe pydantic
		sqlalchemy flask django fastapi uvicorn httpx aiohttp pillow scipy scikit-learn matplotlib tensorflow pytorch torch transformers openai anthropic langchain selenium beautifulsoup4 pytest colorama paramiko
		psycopg2 pymongo redis celery gunicorn tqdm protobuf grpcio opencv-python playwright python-dotenv reportlab openpyxl pypdf pdfplumber virtualenv poetry poetry-core pyinstaller`),
	"npm": strings.Fields(`lodash express react react-dom axios chalk commander typescript webpack eslint prettier moment dotenv mongoose jsonwebtoken nodemon socket.io puppeteer playwright cross-env electron bluebird
		underscore jquery next nuxt vite rollup babel-core discord.js ethers web3 node-fetch body-parser cookie-parser inquirer passport sequelize prisma tailwindcss styled-components`),
}

// installers maps the commands that install packages to the keys of popular.
var installers = map[string]string{"pip": "pip", "pip3": "pip", "uv": "pip", "pipx": "pip", "uvx": "pip", "npm": "npm", "npx": "npm", "pnpm": "npm", "yarn": "npm", "bun": "npm", "bunx": "npm"}

// fewestLetters is the minimum length of a popular name. Imitations of shorter names are not
// reported.
const fewestLetters = 5

// imitatedPackage returns the name of the popular package that another package seems to imitate, or
// "". The argument is the value of a fact about the other package. A name imitates another name if
// they differ by one missing, additional, replaced, or transposed letter.
func imitatedPackage(value string) string {
	program, name, ok := strings.Cut(value, " ")
	list := popular[installers[program]]
	if !ok || list == nil {
		return ""
	}
	name = strings.ToLower(name)
	if i := strings.IndexAny(name, "=<>~!; [#"); i > 0 {
		name = name[:i]
	}
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		name = name[:i]
	}
	name = strings.ReplaceAll(name, "_", "-")
	if len(name) < fewestLetters-1 || slices.Contains(list, name) || strings.ContainsAny(name, "/@") {
		return ""
	}
	for _, other := range list {
		if len(other) >= fewestLetters && isOneEditApart(name, other) {
			return other
		}
	}
	return ""
}

// isOneEditApart reports whether the Damerau-Levenshtein distance of a and b is 1.
func isOneEditApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return a[i:] != b[i:] && (a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:])
}
