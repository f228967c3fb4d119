package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// The most methods that a type and an interface may have, and lines that a function may
// be long. What is larger holds more than one idea.
const (
	mostMethods   = 40
	mostInterface = 15
	mostLines     = 100
)

// shape counts the declarations of the module.
type shape struct {
	methods    map[string]int                // of each type, without those of what it embeds
	interfaces map[string]*ast.InterfaceType // by folder and name
	imports    map[string]map[string]string  // of each interface: package name → folder
	long       []string
}

func TestNothingIsTooLarge(t *testing.T) {
	s, err := readShape()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.long {
		t.Errorf("%s is longer than %d lines", f, mostLines)
	}
	check := func(name string, count, most int) {
		if count > most {
			t.Errorf("%s has %d methods; %d are allowed", name, count, most)
		}
	}
	for name, count := range s.methods {
		check(name, count, mostMethods)
	}
	for name := range s.interfaces {
		check(name, s.size(name), mostInterface)
	}
}

// readShape parses every file of the module but its tests.
func readShape() (*shape, error) {
	s := &shape{
		methods:    map[string]int{},
		interfaces: map[string]*ast.InterfaceType{},
		imports:    map[string]map[string]string{},
	}
	fset := token.NewFileSet()
	return s, filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.add(fset, path.Dir(filepath.ToSlash(file)), parsed)
		return nil
	})
}

// add counts the declarations of one file of folder.
func (s *shape) add(fset *token.FileSet, folder string, file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if first, last := fset.Position(d.Pos()), fset.Position(d.End()); last.Line-first.Line+1 > mostLines {
				s.long = append(s.long, first.String()+" "+d.Name.Name)
			}
			if d.Recv != nil {
				s.methods[folder+"."+receiver(d.Recv.List[0].Type)]++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if declared, ok := spec.(*ast.TypeSpec); ok {
					if i, ok := declared.Type.(*ast.InterfaceType); ok {
						name := folder + "." + declared.Name.Name
						s.interfaces[name], s.imports[name] = i, imported(file)
					}
				}
			}
		}
	}
}

// receiver returns the name of the type that a method hangs on.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// imported returns the folders of ours that a file imports, by the name it uses for each.
func imported(file *ast.File) map[string]string {
	folders := map[string]string{}
	for _, spec := range file.Imports {
		folder, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "toolcrib/")
		if !ours {
			continue
		}
		name := path.Base(folder)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		folders[name] = folder
	}
	return folders
}

// size returns how many methods an interface asks for, with those of the interfaces of
// ours that it embeds.
func (s *shape) size(name string) int {
	declared, known := s.interfaces[name]
	if !known {
		return 0
	}
	folder, count := name[:strings.LastIndex(name, ".")], 0
	for _, field := range declared.Methods.List {
		switch e := field.Type.(type) {
		case *ast.FuncType:
			count += len(field.Names)
		case *ast.Ident:
			count += s.size(folder + "." + e.Name)
		case *ast.SelectorExpr:
			if of, ok := e.X.(*ast.Ident); ok {
				count += s.size(s.imports[name][of.Name] + "." + e.Sel.Name)
			}
		}
	}
	return count
}
