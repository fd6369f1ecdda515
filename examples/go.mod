module github.com/weirhq/weir/examples

go 1.26.0

replace github.com/weirhq/weir => ../
